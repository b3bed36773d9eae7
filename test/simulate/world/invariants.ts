/**
 * The invariants of every world, whatever faults occur. Each is a small pure function of the
 * record.
 */
import type { StoredEvent } from '../../../src/protocol/event.ts';
import { AGENT_PROGRAM } from '../../../src/protocol/agent-program-name.ts';
import type { Invariant } from './attempt-rules.ts';
import { AGENT_RULES } from './agent-rules.ts';
import { CHILD_RULES } from './child-rules.ts';
import { ATTEMPT_RULES } from './attempt-rules.ts';
import { MESSAGE_RULES } from './message-rules.ts';
import { RESTART_RULES } from './restart-rules.ts';
import { TREE_RULES } from './tree-rules.ts';
import { runHistory, groupByRun } from './lineage.ts';
import { factStorms } from './fact-rates.ts';
import { limitBreaches } from './limit-breaches.ts';
import type { Process, WorldRecord } from './record.ts';
import { overdueWaits } from './overdue-waits.ts';
import { brokenCommitments } from './broken-commitments.ts';
import { brokenPauses } from './pauses.ts';
import { slowStops } from './slow-stops.ts';

export type { Invariant } from './attempt-rules.ts';

/** Those about long-lived agents. */
export const AGENT_INVARIANTS: readonly Invariant[] = [
  ...AGENT_RULES,
  ...MESSAGE_RULES,
  ...RESTART_RULES,
];

export const INVARIANTS: readonly Invariant[] = [
  { name: 'there are no defects', breaches: ({ defects }) => defects },
  { name: 'a run has one live attempt at most', breaches: twoAttemptsAtOnce },
  { name: 'nothing begins after a stop', breaches: begunAfterStop },
  { name: 'a stop is carried out within the grace, a kill at once', breaches: slowStops },
  { name: 'a paused run begins nothing but questions', breaches: brokenPauses },
  { name: 'every command and every run ends once', breaches: unpairedEnds },
  { name: 'an acknowledged fact is never lost', breaches: brokenCommitments },
  { name: 'every stream has no gap, and ids grow', breaches: gaps },
  { name: 'begun is durable before it is performed', breaches: performedOffRecord },
  { name: 'no limit is exceeded', breaches: limitBreaches },
  { name: 'no run decides in circles', breaches: factStorms },
  {
    name: 'the fast state equals the folded state',
    breaches: ({ differences }) => differences,
  },
  ...ATTEMPT_RULES,
  ...AGENT_INVARIANTS,
  ...CHILD_RULES,
  ...TREE_RULES,
  { name: 'a follower sees each fact once and in order', breaches: misledFollowers },
  { name: 'a wait ends at its time', breaches: overdueWaits },
  { name: 'every run and every process ends', breaches: neverEnding },
];

function twoAttemptsAtOnce({ processes }: WorldRecord): readonly string[] {
  const attempts = processes.filter(({ command }) => command === 'attempt');
  return attempts.flatMap((one) =>
    attempts
      .filter((other) => other !== one && other.run === one.run && bornWithin(one, other))
      .map((other) => `run ${one.run}: ${other.key} started while ${one.key} was alive`),
  );
}

function bornWithin(elder: Process, younger: Process): boolean {
  return elder.bornOrder < younger.bornOrder && younger.bornOrder < (elder.diedOrder ?? Infinity);
}

function begunAfterStop({ facts }: WorldRecord): readonly string[] {
  const runs = groupByRun(facts);
  return [...runs.keys()].flatMap((run) => {
    const history = runHistory(runs, run);
    const stop = history.findIndex(isStop);
    const later = stop === -1 ? [] : history.slice(stop);
    const last = isAgent(history) ? AGENTS_LAST : LAST;
    return later.flatMap((fact) =>
      fact.type === 'command.begun' && !last.includes(fact.payload.command)
        ? [`run ${run}: ${fact.payload.key} began after the stop`]
        : [],
    );
  });
}

const STOPS: readonly string[] = ['stop', 'kill', 'dismiss'];

/**
 * The commands of a run that is ending. An agent returns its queue item, sends its messages, and
 * passes a person's answer on to its siblings: the person was told that the answer is recorded.
 */
const LAST: readonly string[] = ['finalize'];
const AGENTS_LAST: readonly string[] = [...LAST, 'release-item', 'send-message', 'broadcast'];

function isAgent([first]: readonly StoredEvent[]): boolean {
  return first?.type === 'run.submitted' && first.payload.program === AGENT_PROGRAM;
}

function isStop(fact: StoredEvent): boolean {
  return fact.type === 'signal.received' && STOPS.includes(fact.payload.signal.kind);
}

function unpairedEnds({ facts, stuck }: WorldRecord): readonly string[] {
  const runs = groupByRun(facts);
  return [...runs.keys()].flatMap((run) => {
    const wrong: string[] = [];
    const history = runHistory(runs, run);
    const open = new Set<string>();
    const used = new Set<string>();
    let ended = false;
    for (const fact of history) {
      if (ended) wrong.push(`run ${run}: ${fact.type} after its end`);
      if (fact.type === 'command.begun') {
        if (used.has(fact.payload.key)) wrong.push(`run ${run}: ${fact.payload.key} began twice`);
        used.add(fact.payload.key);
        open.add(fact.payload.key);
      } else if (fact.type === 'command.ended') {
        if (!open.delete(fact.payload.key))
          wrong.push(`run ${run}: ${fact.payload.key} ended without being open`);
      } else if (fact.type === 'run.ended') {
        ended = true;
        if (open.size > 0) wrong.push(`run ${run}: ended with ${[...open].join(', ')} open`);
      }
    }
    if (!ended && !stuck.includes(run)) wrong.push(`run ${run}: never ended`);
    return wrong;
  });
}

function gaps({ facts }: WorldRecord): readonly string[] {
  const ids = facts.flatMap(({ id }, index) =>
    id === index + 1 ? [] : [`fact ${index + 1} of all has the id ${id}`],
  );
  const streams = Map.groupBy(facts, ({ stream }) => stream);
  const seqs = [...streams].flatMap(([stream, own]) =>
    own.flatMap(({ seq }, index) =>
      seq === index + 1 ? [] : [`fact ${index + 1} of ${stream} has the seq ${seq}`],
    ),
  );
  return [...ids, ...seqs];
}

function performedOffRecord({ processes }: WorldRecord): readonly string[] {
  return processes.flatMap(({ run, key, wasOnRecord }) =>
    wasOnRecord ? [] : [`run ${run}: ${key} was performed and not open on record`],
  );
}

function misledFollowers({ followed, facts }: WorldRecord): readonly string[] {
  const runs = groupByRun(facts);
  return followed.flatMap(({ run, after, seen, complete }) => {
    const there = (runs.get(run) ?? []).map(({ seq }) => seq).filter((seq) => seq > after);
    const expected = complete ? there : there.slice(0, seen.length);
    return seen.join(' ') === expected.join(' ')
      ? []
      : [`a follower of ${run} after ${after} saw ${seen.join(' ')} of ${there.join(' ')}`];
  });
}

function neverEnding({ stuck, processes }: WorldRecord): readonly string[] {
  const alive = processes.filter(({ diedOrder }) => diedOrder === null);
  return [
    ...stuck.map((run) => `run ${run} has not ended`),
    ...alive.map(({ run, key }) => `${key} of run ${run} is still alive`),
  ];
}
