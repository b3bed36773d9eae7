/**
 * A short series of writes to a journal, the same every time: two runs, batches, and appends of one
 * round.
 */
import type { NewEvent } from '../../src/protocol/event.ts';
import { at } from '../../src/base/clock.ts';
import { runStream } from '../../src/protocol/streams.ts';
import type { Journal } from '../../src/store/journal.ts';
import {
  begun,
  ended,
  finished,
  noted,
  submitted,
} from '../../src/testing/conformance/journal-events.ts';

type Append = readonly [stream: string, lastSeq: number, events: readonly NewEvent[]];

const A = runStream('a000000000');
const B = runStream('b000000000');

/** Each round is one commit. */
const TURNS: readonly (readonly Append[])[] = [
  [[A, 0, [submitted(), begun('one')]]],
  [
    [A, 2, [ended('one'), begun('two')]],
    [B, 0, [submitted('/other')]],
  ],
  [[B, 1, [begun('one'), noted('one', 'long '.repeat(2000)), ended('one'), finished()]]],
  [[A, 4, [ended('two', { kind: 'interrupted' }), finished()]]],
];

/** The ids after which a whole round is complete. */
export const WHOLE = [0, 2, 5, 9, 11];

/** Performs the missing writes, and prints the last id of each round once it is durable. */
export async function playSeries(
  journal: Journal,
  acknowledge: (id: number) => void,
): Promise<void> {
  for (const [index, turn] of TURNS.entries()) {
    const missing = [];
    for (const append of turn) {
      const [stream, lastSeq] = append;
      if ((await journal.lastSeq(stream)) <= lastSeq) missing.push(append);
    }
    const stored = await Promise.all(
      missing.map(([stream, lastSeq, events]) =>
        journal.append(stream, lastSeq, events, at(1000 + index)),
      ),
    );
    const last = stored.flat().at(-1);
    if (last !== undefined) acknowledge(last.id);
  }
}
