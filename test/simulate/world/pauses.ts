/**
 * The meaning of a pause, checked on the facts alone: until it is unpaused, a run begins only
 * questions, and does not end.
 */
import { isAgentSignal } from '../../../src/protocol/signal.ts';
import { groupByRun } from './lineage.ts';
import type { Fact, WorldRecord } from './record.ts';

/** Whether a run is paused after these facts of its own. A fork never is. */
export function isPaused(own: readonly Fact[]): boolean {
  const last = own.findLast((fact) => pausedBy(fact) !== undefined);
  return last !== undefined && pausedBy(last) === true;
}

/** A stop outranks a pause: a stopped run must end. */
function pausedBy(fact: Fact): boolean | undefined {
  if (fact.type !== 'signal.received') return undefined;
  const { signal } = fact.payload;
  if (isAgentSignal(signal)) return signal.kind === 'dismiss' ? false : undefined;
  switch (signal.kind) {
    case 'pause':
      return true;
    case 'unpause':
    case 'stop':
    case 'kill':
      return false;
    case 'retry-now':
    case 'next':
    case 'merge-queue':
    case 'answer':
    case 'tell':
    case 'takeover':
      return undefined;
  }
}

export function brokenPauses({ facts }: WorldRecord): readonly string[] {
  return [...groupByRun(facts)].flatMap(([run, own]) =>
    own.flatMap((fact, place) => {
      const isMove =
        fact.type === 'run.ended' ||
        (fact.type === 'command.begun' && fact.payload.command !== 'ask');
      if (!isMove || !isPaused(own.slice(0, place))) return [];
      const what = fact.type === 'command.begun' ? `${fact.payload.key} began` : 'it ended';
      return [`run ${run}: ${what} while it was paused`];
    }),
  );
}
