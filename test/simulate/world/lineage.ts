/** Reads the facts of a world run by run. */
import { isRunEvent } from '../../../src/protocol/streams.ts';
import type { Fact, RunFact } from './record.ts';

export function groupByRun(facts: readonly Fact[]): ReadonlyMap<string, readonly RunFact[]> {
  const ofRuns = facts.filter((fact): fact is RunFact => isRunEvent(fact));
  return Map.groupBy(ofRuns, ({ stream }) => stream.slice('run/'.length));
}

/**
 * The whole history of a run: the facts that it inherited from the run it was forked from, then its
 * own.
 */
export function runHistory(
  runs: ReadonlyMap<string, readonly RunFact[]>,
  run: string,
): readonly RunFact[] {
  const own = runs.get(run) ?? [];
  const [first] = own;
  if (first?.type !== 'run.forked') return own;
  const { from, seq } = first.payload;
  const before = runHistory(runs, from);
  const last = before.findIndex((fact) => fact.stream === `run/${from}` && fact.seq === seq);
  return [...before.slice(0, last + 1), ...own];
}

/** One line for each fact, with the time since the world began. */
export function describeHistory(facts: readonly RunFact[]): readonly string[] {
  return facts.map((fact) => {
    const time = (fact.elapsedMs / 1000).toFixed(3).padStart(10);
    return `${time} s  ${fact.stream.slice('run/'.length)} ${fact.seq.toString().padStart(3)}  ${describeFact(fact)}`;
  });
}

function describeFact(fact: RunFact): string {
  switch (fact.type) {
    case 'run.submitted':
      return `submitted to ${fact.payload.program}`;
    case 'run.forked':
      return `forked from ${fact.payload.from} at ${fact.payload.seq}`;
    case 'command.begun':
      return `begun ${fact.payload.key} (${fact.payload.command})`;
    case 'command.noted':
      return `noted ${fact.payload.key}`;
    case 'command.cancelled':
      return `cancelled ${fact.payload.key} (${fact.payload.how})`;
    case 'command.ended':
      return `ended ${fact.payload.key}: ${JSON.stringify(fact.payload.end)}`;
    case 'signal.received':
      return `signal ${fact.payload.signal.kind}`;
    case 'run.ended':
      return `run ended: ${fact.payload.outcome.kind} (${fact.payload.outcome.reason})`;
  }
}
