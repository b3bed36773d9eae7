import type { Journal } from '../../src/store/journal.ts';

/** Counts the facts that are read through it, to show that a resume reads few. */
export function countingJournal(journal: Journal): {
  readonly journal: Journal;
  readonly read: () => number;
} {
  let read = 0;
  const counted = async <Item>(page: Promise<readonly Item[]>): Promise<readonly Item[]> => {
    const items = await page;
    read += items.length;
    return items;
  };
  return {
    read: () => read,
    journal: {
      append: (...append) => journal.append(...append),
      appendAll: (...appends) => journal.appendAll(...appends),
      readStream: (stream, page) => counted(journal.readStream(stream, page)),
      readAll: (page) => counted(journal.readAll(page)),
      readBack: (before, limit) => counted(journal.readBack(before, limit)),
      findRequest: (key) => journal.findRequest(key),
      damages: () => journal.damages(),
      lastSeq: (stream) => journal.lastSeq(stream),
      lastId: () => journal.lastId(),
      onCommit: (listener) => journal.onCommit(listener),
      run: (id) => journal.run(id),
      runs: (filter) => journal.runs(filter),
      saveSnapshot: (stream, snapshot) => journal.saveSnapshot(stream, snapshot),
      loadSnapshot: (stream, maker) => journal.loadSnapshot(stream, maker),
      rebuild: () => journal.rebuild(),
      close: () => journal.close(),
    },
  };
}
