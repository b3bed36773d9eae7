import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import { OWNER_STREAM, runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { foldRunView } from '../../protocol/views/run-view.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { Journal } from '../../store/journal.ts';
import { begun, ended, event, finished, noted, submitted } from './journal-events.ts';
import type { Using } from './journal-under-test.ts';

const ALL = { after: 0, limit: 1000 };
const RUN = runStream('a000000000');
const OTHER = runStream('b000000000');

/** Part of the journal's suite: reading what was written. */
export function readingConformance(name: string, using: Using): void {
  describe(`${name}: reading`, () => {
    using(
      'pages join without a gap, forward by id and by seq, backward by id',
      async ({ journal }) => {
        for (let seq = 0; seq < 10; seq += 1) {
          await journal.append(RUN, seq, [begun(`run-${seq}`)], at(seq));
          await journal.append(
            OWNER_STREAM,
            seq,
            [{ type: 'owner.stopped', payload: { reason: '' } }],
            at(seq),
          );
        }
        const all = await journal.readAll(ALL);
        const own = await journal.readStream(RUN, ALL);
        assert.deepEqual([all.length, own.length], [20, 10]);
        const paged = [];
        for (let after = 0; after < 20; after += 3)
          paged.push(...(await journal.readAll({ after, limit: 3 })));
        assert.deepEqual(paged, all);
        assert.deepEqual(await journal.readStream(RUN, { after: 4, limit: 2 }), own.slice(4, 6));
        assert.deepEqual(await journal.readBack(21, 3), all.slice(17).toReversed());
        assert.deepEqual(await journal.readBack(3, 100), all.slice(0, 2).toReversed());
        assert.deepEqual(await journal.readBack(Number.MAX_SAFE_INTEGER, 1), all.slice(19));
        assert.deepEqual(
          [await journal.readBack(1, 5), await journal.readAll({ after: 20, limit: 5 })],
          [[], []],
        );
      },
    );

    using('a forked run has the task that its first fact repeats', async ({ journal }) => {
      const submission = { program: 'test', task: 'go on', project: '/project', settings: {} };
      const forked = event('run.forked', { from: 'b000000000', seq: 1, submission });
      const [stored] = await journal.append(RUN, 0, [forked], at(1));
      assert.ok(stored !== undefined);
      const view = await journal.run('a000000000');
      assert.deepEqual([view?.task, view], ['go on', foldRunView(undefined, stored)]);
    });

    using('an empty journal and an unknown stream say so', async ({ journal }) => {
      assert.deepEqual(
        [
          await journal.lastId(),
          await journal.lastSeq(RUN),
          await journal.readStream(RUN, ALL),
          await journal.run('a000000000'),
          await journal.runs({ limit: 10 }),
        ],
        [0, 0, [], undefined, []],
      );
    });

    using('runs come by their parent, or without those that have one', async ({ journal }) => {
      const child = (program: string, more: object): NewRunEvent =>
        ({
          type: 'run.submitted',
          payload: { program, task: 't', project: '/p', settings: {}, ...more },
        }) as unknown as NewRunEvent;
      const parent = { run: 'a', key: 's-1', depth: 1 };
      await journal.append(runStream('a'), 0, [submitted('/p')], at(1));
      await journal.append(runStream('b'), 0, [child('test', { parent })], at(2));
      const settings = { longLived: { name: 'n', parent: 'a' } };
      await journal.append(runStream('c'), 0, [child('agent', { settings })], at(3));
      const ids = async (filter: Parameters<Journal['runs']>[0]): Promise<string> =>
        (await journal.runs(filter)).map(({ id }) => id).join('');
      assert.deepEqual(
        [
          await ids({ limit: 9 }),
          await ids({ parent: null, limit: 9 }),
          await ids({ parent: 'a', limit: 9 }),
          await ids({ parent: 'a', project: '/p', ended: false, limit: 9 }),
          await ids({ parent: 'b', limit: 9 }),
        ],
        ['cba', 'ca', 'b', 'b', ''],
      );
    });

    using(
      'runs come newest first, by project, by program, by prefix, by page and by whether they ended',
      async ({ journal }) => {
        await journal.append(runStream('a'), 0, [submitted('/one')], at(9));
        await journal.append(runStream('b'), 0, [submitted('/two')], at(5)); // a clock that was set back
        await journal.append(runStream('c'), 0, [submitted('/one')], at(9));
        await journal.append(runStream('a'), 1, [finished()], at(10));
        const ids = async (filter: Parameters<Journal['runs']>[0]): Promise<string> =>
          (await journal.runs(filter)).map(({ id }) => id).join('');
        assert.deepEqual(
          [
            await ids({ limit: 10 }),
            await ids({ limit: 2 }),
            await ids({ project: '/one', limit: 10 }),
            await ids({ ended: true, limit: 10 }),
            await ids({ ended: false, limit: 10 }),
            await ids({ project: '/one', ended: false, limit: 10 }),
            await ids({ project: '/none', limit: 10 }),
            await ids({ project: '/one', program: 'test', limit: 10 }),
            await ids({ program: 'nobody', limit: 10 }),
            await ids({ idPrefix: 'b', limit: 10 }),
            await ids({ idPrefix: '', limit: 10 }),
            await ids({ idPrefix: 'ba', limit: 10 }),
            await ids({ project: '/one', idPrefix: 'c', ended: false, limit: 10 }),
            await ids({ before: 'c', limit: 1 }),
            await ids({ before: 'b', limit: 10 }),
            await ids({ before: 'a', limit: 10 }),
            await ids({ before: 'c', project: '/one', ended: true, limit: 10 }),
            await ids({ before: 'd', limit: 10 }),
          ],
          [
            ...['cba', 'cb', 'ca', 'a', 'cb', 'c', '', 'ca', '', 'b', 'cba', '', 'c'],
            ...['b', 'a', '', 'a', ''],
          ],
        );
      },
    );

    using(
      'the view of a run is the fold of its stream, also after a rebuild',
      async ({ journal }) => {
        await journal.append(
          RUN,
          0,
          [submitted(), begun('one'), begun('two'), ended('one')],
          at(1),
        );
        await journal.append(
          RUN,
          4,
          [{ type: 'signal.received', payload: { signal: { kind: 'stop' } } }],
          at(2),
        );
        await journal.append(RUN, 5, [ended('two', { kind: 'interrupted' }), finished()], at(3));
        let view: RunView | undefined;
        for (const event of await journal.readStream(RUN, ALL)) view = foldRunView(view, event);
        assert.equal(view?.outcome?.kind, 'succeeded');
        assert.deepEqual(await journal.run('a000000000'), view);
        await journal.rebuild();
        assert.deepEqual(await journal.run('a000000000'), view);
        await journal.append(RUN, 7, [noted('two', 'late')], at(4));
        assert.equal((await journal.run('a000000000'))?.seq, 8);
      },
    );
  });

  describe(`${name}: snapshots`, () => {
    using('the newest of its maker is kept, for each stream apart', async (under) => {
      const { journal } = under;
      await journal.saveSnapshot(RUN, { maker: 'fold@1', seq: 2, state: { n: 2 } });
      await journal.saveSnapshot(RUN, { maker: 'fold@1', seq: 5, state: [1, 'five', null] });
      await journal.saveSnapshot(RUN, { maker: 'fold@1', seq: 4, state: 'older' });
      await journal.saveSnapshot(RUN, { maker: 'fold@2', seq: 1, state: null });
      const reopened = await under.reopen();
      assert.deepEqual(
        [
          await reopened.loadSnapshot(RUN, 'fold@1'),
          await reopened.loadSnapshot(RUN, 'fold@2'),
          await reopened.loadSnapshot(RUN, 'fold@3'),
          await reopened.loadSnapshot(OTHER, 'fold@1'),
        ],
        [
          { maker: 'fold@1', seq: 5, state: [1, 'five', null] },
          { maker: 'fold@2', seq: 1, state: null },
          undefined,
          undefined,
        ],
      );
    });

    using('of two saved at once the newer stays', async ({ journal }) => {
      await Promise.all(
        [1, 0].map((seq) => journal.saveSnapshot(RUN, { maker: 'fold@1', seq, state: seq })),
      );
      assert.deepEqual(await journal.loadSnapshot(RUN, 'fold@1'), {
        maker: 'fold@1',
        seq: 1,
        state: 1,
      });
    });

    using('a full disk refuses a snapshot', async ({ journal, fill }) => {
      fill(true);
      const saved = journal.saveSnapshot(RUN, {
        maker: 'fold@1',
        seq: 1,
        state: 'x'.repeat(100_000),
      });
      await assert.rejects(saved, (error) => isRefusal(error, 'store.full'));
      assert.equal(await journal.loadSnapshot(RUN, 'fold@1'), undefined);
    });
  });
}
