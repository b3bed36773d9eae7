import type { Ack, Fact, WorldRecord } from './record.ts';

/**
 * Facts that the journal or the engine acknowledged as durable, and that are missing afterwards.
 */
export function brokenCommitments({ acks, facts, kept: saved }: WorldRecord): readonly string[] {
  const gone = saved.flatMap((event) => {
    const { elapsedMs: _when, ...there } = facts[event.id - 1] ?? { elapsedMs: 0 };
    const isThere = JSON.stringify(there) === JSON.stringify(event);
    return isThere ? [] : [`fact ${event.id} was acknowledged and is missing`];
  });
  const keepers = Map.groupBy(facts, recordedText);
  const broken = [...Map.groupBy(acks, acknowledgedText)].flatMap(([promise, given]) =>
    given.flatMap((ack, nth) => {
      const fact = keepers.get(promise)?.[nth];
      const wasThere = fact !== undefined && fact.id <= ack.facts;
      return wasThere ? [] : [`${promise} was acknowledged and not on record`];
    }),
  );
  return [...gone, ...broken];
}

function acknowledgedText(ack: Ack): string {
  switch (ack.kind) {
    case 'started':
      return `the start of ${ack.run}`;
    case 'signalled':
      return `${ack.signal} for ${ack.run}`;
    case 'noted':
      return `a note of ${ack.key} in ${ack.run}`;
  }
}

function recordedText(fact: Fact): string | undefined {
  const run = fact.stream.slice('run/'.length);
  if (fact.type === 'run.submitted' || fact.type === 'run.forked') return `the start of ${run}`;
  if (fact.type === 'signal.received') return `${fact.payload.signal.kind} for ${run}`;
  return fact.type === 'command.noted' ? `a note of ${fact.payload.key} in ${run}` : undefined;
}
