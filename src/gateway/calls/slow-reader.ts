/**
 * A call holds one of its project's slots while its provider works. An agent that does not read its
 * answer makes the call last as long as it likes: once that has taken a while in all, the slot goes
 * to other runs, and the call goes on without one.
 */
import type { Clock } from '../../base/clock.ts';

const LOOK_MS = 500;
const PATIENCE_MS = 2000;

type Reader = { readonly writableNeedDrain: boolean };

/** Calls `onSlow` once when the reader has kept its call waiting for that long. Ends when disposed of. */
export function watchReader(reader: Reader, clock: Clock, onSlow: () => void): Disposable {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS;) {
      if (!(await clock.sleep(LOOK_MS, over.signal))) return;
      if (reader.writableNeedDrain) waitedMs += LOOK_MS;
    }
    onSlow();
  };
  void watch();
  return { [Symbol.dispose]: () => over.abort() };
}
