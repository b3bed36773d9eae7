/** Which decisions about long-lived agents a world reached. */
import { parseRunId } from '../../../src/base/ids.ts';
import type { Payload } from '../../../src/protocol/event.ts';
import type { AgentFactStep } from './agent-facts.ts';
import { agentsOf } from './agent-facts.ts';
import type { WorldRecord } from './record.ts';

export const AGENT_DECISIONS = [
  'agent-summon',
  'agent-refuse',
  'agent-live',
  'agent-live-again',
  'agent-turn',
  'agent-continue',
  'agent-interrupted',
  'agent-message',
  'agent-verify',
  'agent-not-yet',
  'agent-done',
  'agent-wait',
  'agent-wake',
  'agent-rest',
  'agent-ask',
  'agent-issue',
  'agent-tell',
  'agent-take',
  'agent-put',
  'agent-cut',
  'agent-end-life',
  'agent-restart',
  'agent-escalate',
  'agent-restarts-exhausted',
  'agent-come-back',
  'agent-dismiss',
  'agent-succeeded',
  'agent-unverified',
  'agent-cancelled',
  'agent-killed',
  'agent-failed',
] as const;
export type AgentDecision = (typeof AGENT_DECISIONS)[number];

export type Reaching = { readonly decision: AgentDecision; readonly elapsedMs: number };

/** Decisions that the facts show. The others are remarks. */
export function listAgentDecisions(record: WorldRecord): readonly Reaching[] {
  const own = agentsOf(record).flatMap(({ first, steps }) => [
    { decision: 'agent-summon' as const, elapsedMs: first.elapsedMs },
    ...steps.flatMap((step) =>
      named(step).map((decision) => ({ decision, elapsedMs: step.fact.elapsedMs })),
    ),
  ]);
  const restarts = record.facts.flatMap((fact): readonly Reaching[] => {
    if (fact.type !== 'tree.restarting') return [];
    const isAgent = parseRunId(fact.payload.child) !== undefined;
    return [{ decision: isAgent ? 'agent-restart' : 'agent-escalate', elapsedMs: fact.elapsedMs }];
  });
  return [...own, ...restarts];
}

function named(step: AgentFactStep): readonly AgentDecision[] {
  const { fact, before, after, from, to } = step;
  const moved = from === to ? [] : stateWords(step);
  const wanted =
    after.restartRequested && !before.restartRequested ? (['agent-come-back'] as const) : [];
  if (fact.type === 'command.begun') return [...moved, ...begun(fact.payload)];
  if (fact.type === 'signal.received')
    return [...moved, ...wanted, ...signalled(step, fact.payload.signal.kind)];
  if (fact.type !== 'run.ended') return [...moved, ...wanted];
  const end = `agent-${fact.payload.outcome.kind}`;
  return AGENT_DECISIONS.filter((decision) => decision === end);
}

function stateWords({ from, to, fact }: AgentFactStep): readonly AgentDecision[] {
  if (to === 'done') return ['agent-done'];
  if (to === 'waiting-wakeup') return ['agent-wait'];
  if (from === 'verifying' && to === 'working') return ['agent-not-yet'];
  const slept = from === 'waiting-wakeup' || from === 'done';
  const isWoken = slept && to === 'working' && fact.type === 'signal.received';
  return isWoken ? ['agent-wake'] : [];
}

function begun({ command, input }: Payload<'command.begun'>): readonly AgentDecision[] {
  switch (command) {
    case 'attempt': {
      const { why, resume } = input;
      const cause = why.kind === 'turn' ? why.cause : undefined;
      return [
        'agent-turn',
        ...(typeof resume === 'string' ? (['agent-continue'] as const) : []),
        ...(cause === 'interrupted' || cause === 'message' ? ([`agent-${cause}`] as const) : []),
      ];
    }
    case 'gate':
      return ['agent-verify'];
    case 'wait':
      return ['agent-rest'];
    case 'ask':
      return [input.issue !== undefined ? 'agent-issue' : 'agent-ask'];
    case 'send-message':
      return ['agent-tell'];
    case 'claim-item':
      return ['agent-take'];
    case 'release-item':
      return ['agent-put'];
    case 'set-cooldown':
    case 'finalize':
    case 'setup':
    case 'baseline':
    case 'broadcast':
    case 'deliver-message':
    case 'check-availability':
    case 'prepare-step':
    case 'collect-step':
    case 'assess-change':
    case 'update-breaker':
    case 'open-base':
    case 'merge-work':
    case 'write-interfaces':
    case 'commit-work':
    case 'run':
      return [];
  }
}

function signalled({ before, after }: AgentFactStep, kind: string): readonly AgentDecision[] {
  switch (kind) {
    case 'start-life':
      if (after.lives === before.lives) return [];
      return [after.lives === 1 ? 'agent-live' : 'agent-live-again'];
    case 'end-life':
      return ['agent-end-life'];
    case 'restarts-exhausted':
      return ['agent-restarts-exhausted'];
    case 'dismiss':
      return ['agent-dismiss'];
    case 'trigger':
      return ['agent-cut'];
    default:
      return [];
  }
}
