/**
 * Detects an agent that does not read its answer. A call holds one of its project's slots while its provider works,
 * and such an agent could hold it for ever. Once it has blocked the call for a while in all, the slot is released to
 * other runs, and the call continues without a slot.
 */
import type { Clock } from '../../base/clock.ts';

const CHECK_MS = 500;
const PATIENCE_MS = 2000;

type Reader = { readonly writableNeedDrain: boolean };

/** Calls `onSlow` once if the reader has blocked its call for `PATIENCE_MS` in all. Ends when disposed. */
export function watchReader(reader: Reader, clock: Clock, onSlow: () => void): Disposable {
  const done = new AbortController();
  const watch = async (): Promise<void> => {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS;) {
      if (!(await clock.sleep(CHECK_MS, done.signal))) return;
      if (reader.writableNeedDrain) waitedMs += CHECK_MS;
    }
    onSlow();
  };
  void watch();
  return { [Symbol.dispose]: () => done.abort() };
}
