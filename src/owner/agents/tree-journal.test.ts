import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { TREE_STREAM } from '../../protocol/streams.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { TreeJournal } from './tree-journal.ts';

const PLACES = [{ type: 'agent', path: 'lead' }] as const;

async function open(journal: MemoryJournal): Promise<TreeJournal> {
  return TreeJournal.open(journal, new ManualClock(1000));
}

test('the next owner reads the tree that was stored', async () => {
  const journal = new MemoryJournal();
  const first = await open(journal);
  await first.declare('/shop', PLACES);
  first.restarting({ supervisor: 's/team', child: 'a', at: 5, restarts: [5], streak: 1 });
  first.restarting({ supervisor: 's/team', child: 'a', at: 9, restarts: [5, 9], streak: 2 });
  await first.flushed();
  const next = await open(journal);
  assert.deepEqual(next.places('/shop'), PLACES);
  assert.deepEqual(next.restartHistory('s/team'), {
    restarts: [5, 9],
    children: { a: { restarts: [5, 9], streak: 2 } },
  });
  assert.deepEqual([next.restartCount('s/team/a'), next.restartCount('s/team/b')], [2, 0]);
});

test('a supervisor that restarts has an empty restart window, and its children keep their counts', async () => {
  const journal = new MemoryJournal();
  const first = await open(journal);
  first.restarting({ supervisor: 's', child: 'a', at: 5, restarts: [5], streak: 1 });
  await first.resetHistory('s');
  const next = await open(journal);
  assert.deepEqual(next.restartHistory('s'), { restarts: [], children: {} });
  assert.equal(next.restartCount('s/a'), 1);
});

test('an unchanged declaration is not written again', async () => {
  const journal = new MemoryJournal();
  const tree = await open(journal);
  await tree.declare('/shop', PLACES);
  await tree.declare('/shop', [...PLACES]);
  assert.equal(await journal.lastSeq(TREE_STREAM), 1);
});

test('a declaration that is refused on a full disk has no effect and does not block later facts', async () => {
  const disk = new MemoryDisk();
  const tree = await open(new MemoryJournal(disk));
  disk.full = true;
  await assert.rejects(tree.declare('/shop', PLACES), (error) => isRefusal(error, 'store.full'));
  assert.deepEqual(tree.places('/shop'), []);
  await tree.flushed();
});

test('after many restarts a snapshot is written, and opening reads no further back', async () => {
  const journal = new MemoryJournal();
  const tree = await open(journal);
  await tree.declare('/shop', PLACES);
  for (let at = 1; at <= 2500; at += 1)
    tree.restarting({ supervisor: 's', child: 'a', at, restarts: [at], streak: at });
  await tree.flushed();
  const facts = await journal.readStream(TREE_STREAM, { after: 0, limit: 10_000 });
  assert.equal(facts.filter(({ type }) => type === 'tree.snapshot').length, 3);
  let read = 0;
  const counting = new Proxy(journal, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        if (key === 'readStream') read += 1;
        return Reflect.apply(value, target, given);
      };
    },
  });
  const next = await open(counting);
  assert.deepEqual([next.restartCount('s/a'), next.places('/shop')], [2500, PLACES]);
  assert.equal(read, 1);
});

test('agents that are no longer known leave nothing in the tree journal', async () => {
  const journal = new MemoryJournal();
  const tree = await open(journal);
  tree.restarting({ supervisor: 's', child: '0123456789', at: 5, restarts: [5], streak: 1 });
  tree.restarting({ supervisor: 's', child: 'team', at: 6, restarts: [6], streak: 1 });
  tree.forgetUnless(() => false);
  assert.deepEqual([tree.restartCount('s/0123456789'), tree.restartCount('s/team')], [0, 1]);
  assert.deepEqual(Object.keys(tree.restartHistory('s').children), ['team']);
});
