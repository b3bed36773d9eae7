import type { Journal } from '../../store/journal.ts';

/** The process died here, as far as the code under test can tell. */
export class CrashNow extends Error {
  override readonly name = 'CrashNow';

  constructor() {
    super('the process is dead');
  }
}

/**
 * A journal whose process dies at its k-th append (from 1): `before` it became durable, or `after`,
 * without an acknowledgement. From then on every call is refused; reopen the disk to continue.
 */
export function crashingJournal(journal: Journal, k: number, when: 'before' | 'after'): Journal {
  let appends = 0;
  let dead = false;
  const alive = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    if (dead) throw new CrashNow();
    const result = await ask();
    if (isDead()) throw new CrashNow(); // the caller died while waiting, so the answer is dropped
    return result;
  };
  const isDead = (): boolean => dead;
  const write = <Result>(ask: () => Promise<Result>): Promise<Result> =>
    alive(async () => {
      appends += 1;
      if (appends < k) return await ask();
      dead = true;
      if (when === 'after') await ask();
      throw new CrashNow();
    });
  return {
    append: (...append) => write(() => journal.append(...append)),
    appendAll: (...append) => write(() => journal.appendAll(...append)),
    readStream: (stream, page) => alive(() => journal.readStream(stream, page)),
    readAll: (page) => alive(() => journal.readAll(page)),
    readBack: (before, limit) => alive(() => journal.readBack(before, limit)),
    findRequest: (key) => alive(() => journal.findRequest(key)),
    damages: () => journal.damages(),
    lastSeq: (stream) => alive(() => journal.lastSeq(stream)),
    lastId: () => alive(() => journal.lastId()),
    onCommit: (listener) =>
      journal.onCommit((lastId) => {
        if (!isDead()) listener(lastId);
      }),
    run: (id) => alive(() => journal.run(id)),
    runs: (filter) => alive(() => journal.runs(filter)),
    saveSnapshot: (stream, snapshot) => alive(() => journal.saveSnapshot(stream, snapshot)),
    loadSnapshot: (stream, maker) => alive(() => journal.loadSnapshot(stream, maker)),
    rebuild: () => alive(() => journal.rebuild()),
    close: () => journal.close(),
  };
}
