/** Which decisions of the program a world reached, and after which faults. */
import { AGENT_PROGRAM } from '../../../src/protocol/agent-program-name.ts';
import type { AgentDecision } from './agent-decisions.ts';
import { listAgentDecisions } from './agent-decisions.ts';
import { groupByRun } from './lineage.ts';
import type { RunFact, WorldRecord } from './record.ts';
import type { FaultKind } from './scenario.ts';

export const DECISIONS = [
  'prepare',
  'judge-base',
  'begin',
  'begin-again-after-interruption',
  'wait',
  'rest',
  'ask',
  'set-cooldown',
  'verify',
  'verify-known',
  'retry',
  'restart',
  'switch',
  'pause',
  'unpause',
  'cancel-ask',
  'cancel-kill',
  'mark-interrupted',
  'park-for-limit',
  'hold-for-disk',
  'refuse-for-disk',
  'refuse',
  'fork',
  'finish-succeeded',
  'finish-unverified',
  'finish-failed',
  'finish-refused',
  'finish-cancelled',
  'finish-killed',
  'finish-exhausted',
] as const;
export type ReachedDecision = (typeof DECISIONS)[number];

/**
 * How often each decision was reached after each fault. `none` counts decisions before the first
 * fault.
 */
export type DecisionCount = Map<ReachedDecision | AgentDecision, Map<FaultKind | 'none', number>>;

export function countDecisions(reached: DecisionCount, record: WorldRecord): void {
  const since = new Map<FaultKind, number>();
  for (const { kind, elapsedMs } of record.faults)
    since.set(kind, Math.min(since.get(kind) ?? Infinity, elapsedMs));
  for (const { decision, elapsedMs } of listDecisions(record)) {
    const counts = reached.get(decision) ?? new Map<FaultKind | 'none', number>();
    reached.set(decision, counts);
    const before = [...since].filter(([, sinceMs]) => sinceMs <= elapsedMs).map(([kind]) => kind);
    for (const kind of before.length === 0 ? (['none'] as const) : before)
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
}

type Reaching = { readonly decision: ReachedDecision | AgentDecision; readonly elapsedMs: number };

function listDecisions(record: WorldRecord): readonly Reaching[] {
  const { facts, remarks } = record;
  const written = [...groupByRun(facts).values()].flatMap((own): readonly Reaching[] => {
    const [first] = own;
    if (first?.type === 'run.submitted' && first.payload.program === AGENT_PROGRAM) return [];
    let hasLost = false;
    return own.flatMap((fact) => {
      const decisions = named(fact, hasLost);
      hasLost ||= decisions.includes('mark-interrupted');
      return decisions.map((decision) => ({ decision, elapsedMs: fact.elapsedMs }));
    });
  });
  return [...written, ...listAgentDecisions(record), ...(remarks as readonly Reaching[])];
}

const WHYS = ['retry', 'restart', 'switch'] as const;

function named(fact: RunFact, hasLost: boolean): readonly ReachedDecision[] {
  switch (fact.type) {
    case 'command.begun': {
      const { command, input } = fact.payload;
      if (command === 'wait') return [input.reason === 'cooldown' ? 'rest' : 'wait'];
      if (command === 'ask' || command === 'set-cooldown') return [command];
      if (command === 'gate') return [input.known === undefined ? 'verify' : 'verify-known'];
      if (command === 'setup') return ['prepare'];
      if (command === 'baseline') return ['judge-base'];
      if (command === 'check-availability' || command === 'finalize') return [];
      const why = WHYS.find((word) => command === 'attempt' && input.why.kind === word);
      if (why !== undefined) return ['begin', why];
      return hasLost ? ['begin', 'begin-again-after-interruption'] : ['begin'];
    }
    case 'command.cancelled':
      return [fact.payload.how === 'ask' ? 'cancel-ask' : 'cancel-kill'];
    case 'command.ended':
      return fact.payload.end.kind === 'interrupted' ? ['mark-interrupted'] : [];
    case 'run.ended':
      return [`finish-${fact.payload.outcome.kind}` as ReachedDecision];
    case 'run.forked':
      return ['fork'];
    case 'signal.received': {
      const { kind } = fact.payload.signal;
      return kind === 'pause' || kind === 'unpause' ? [kind] : [];
    }
    case 'run.submitted':
    case 'command.noted':
      return [];
  }
}
