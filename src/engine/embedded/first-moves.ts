/** What a new run begins with. It is written in the same commit as the first fact of the run, if no slot is needed. */
import type { Instant } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { NewRunEvent, RunEvent } from '../../protocol/event.ts';
import { freshMoves } from '../ledger.ts';
import type { PerformMove, Program } from '../program.ts';
import { beginAllFacts, isPerformed } from './begin-facts.ts';
import type { FirstFact } from './first-fact.ts';
import type { LoadedRun } from './load-run.ts';
import { foldEvent } from './load-run.ts';

/** `events` are written when the run begins. `moves` begin with them. Empty: the driver decides when they are durable. */
export type Opening = {
  readonly events: readonly NewRunEvent[];
  readonly moves: readonly PerformMove[];
};

/** Nothing begins with the first fact if a move may have to wait for a slot, or is no command of a performer. */
export function openRun(
  run: RunId,
  { first, program, folded: { state, ledger } }: FirstFact,
  now: Instant,
  random: () => number,
): Opening {
  const alone = { events: [first], moves: [] };
  // A fork first has to end what is open in the other run.
  if (first.type !== 'run.submitted') return alone;
  try {
    const requested = freshMoves(ledger, program.next(state, now, random()));
    const moves = requested.flatMap((move) => (isFree(move) ? [move] : []));
    if (moves.length < requested.length) return alone;
    return { events: [first, ...beginAllFacts(run, moves, ledger)], moves };
  } catch {
    return alone; // the driver meets the same error when the run is in the journal
  }
}

/** The state of the run after its first facts, as they are in the journal. */
export function foldOpening(
  { program, folded }: FirstFact,
  [, ...begun]: readonly RunEvent[],
): LoadedRun {
  return begun.reduce((before, event) => foldEvent(program, before, event), folded);
}

function isFree(move: ReturnType<Program<Json>['next']>[number]): move is PerformMove {
  if (move.kind !== 'perform' || !isPerformed(move)) return false;
  return (move.limits ?? []).length === 0 && move.recheck === undefined;
}
