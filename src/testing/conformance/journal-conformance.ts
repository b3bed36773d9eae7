/** The suite that every journal passes, the fake included. `make` gives a new, empty one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { begun, ended, noted, submitted } from './journal-events.ts';
import type { JournalUnderTest, Using } from './journal-under-test.ts';
import { readingConformance } from './journal-conformance-reads.ts';

const ALL = { after: 0, limit: 1000 };
const RUN = runStream('a000000000');
const OTHER = runStream('b000000000');
/** Too long for the rest of an existing page. */
const LONG = 'x'.repeat(100_000);

export function journalConformance(name: string, make: () => Promise<JournalUnderTest>): void {
  const using: Using = (sentence, body) => {
    test(sentence, async (t) => {
      const under = await make();
      t.after(() => under.dispose());
      await body(under);
    });
  };

  describe(`${name}: appending`, () => {
    using(
      'facts get the next ids and seqs, and are read as they were returned',
      async ({ journal }) => {
        const first = await journal.append(RUN, 0, [submitted(), begun('one')], at(5));
        const second = await journal.append(OTHER, 0, [submitted()], at(6));
        const third = await journal.append(RUN, 2, [ended('one')], at(7));
        assert.deepEqual(
          [...first, ...second, ...third],
          [
            { id: 1, stream: RUN, seq: 1, v: EVENT_VERSION, at: 5, ...submitted() },
            { id: 2, stream: RUN, seq: 2, v: EVENT_VERSION, at: 5, ...begun('one') },
            { id: 3, stream: OTHER, seq: 1, v: EVENT_VERSION, at: 6, ...submitted() },
            { id: 4, stream: RUN, seq: 3, v: EVENT_VERSION, at: 7, ...ended('one') },
          ],
        );
        assert.deepEqual(await journal.readAll(ALL), [...first, ...second, ...third]);
        assert.deepEqual(await journal.readStream(RUN, ALL), [...first, ...third]);
      },
    );

    using('a wrong belief about the last seq is a conflict that says both', async ({ journal }) => {
      await journal.append(RUN, 0, [submitted()], at(1));
      for (const believed of [0, 2]) {
        await assert.rejects(
          journal.append(RUN, believed, [begun('one')], at(2)),
          (error) =>
            isRefusal(error, 'store.conflict') &&
            error.data.details?.['believed'] === believed &&
            error.data.details['actual'] === 1,
        );
      }
      assert.equal(await journal.lastId(), 1);
      await journal.append(RUN, 1, [begun('one')], at(3));
    });

    using(
      'appends of one turn settle in their order, and a refused one spoils no other',
      async ({ journal }) => {
        const results: string[] = [];
        const appends: [name: string, stream: string, lastSeq: number, event: NewRunEvent][] = [
          ['first', RUN, 0, submitted()],
          ['stale', RUN, 0, begun('stale')],
          ['second', RUN, 1, begun('one')],
          ['other', OTHER, 0, submitted()],
          ['ahead', OTHER, 7, begun('ahead')],
          ['third', RUN, 2, ended('one')],
        ];
        await Promise.all(
          appends.map(([name, stream, lastSeq, event]) =>
            journal.append(stream, lastSeq, [event], at(1)).then(
              ([stored]) => results.push(`${name} ${stored?.id}`),
              (error: unknown) => results.push(`${name} ${isRefusal(error, 'store.conflict')}`),
            ),
          ),
        );
        assert.deepEqual(results, [
          'first 1',
          'stale true',
          'second 2',
          'other 3',
          'ahead true',
          'third 4',
        ]);
        const read = await journal.readAll(ALL);
        assert.deepEqual(
          read.map(({ stream, seq }) => [stream, seq]),
          [
            [RUN, 1],
            [RUN, 2],
            [OTHER, 1],
            [RUN, 3],
          ],
        );
      },
    );

    using(
      'appends to several streams are written all or none, in one commit',
      async ({ journal, fill }) => {
        let commits = 0;
        journal.onCommit(() => (commits += 1));
        const both = (lastSeq: number): Promise<unknown> =>
          journal.appendAll(
            [
              { stream: OTHER, lastSeq: 0, events: [submitted()] },
              { stream: RUN, lastSeq, events: [begun('one'), noted('one', LONG)] },
            ],
            at(2),
          );
        await journal.append(RUN, 0, [submitted()], at(1));
        await assert.rejects(both(2), (error) => isRefusal(error, 'store.conflict'));
        fill(true);
        await assert.rejects(both(1), (error) => isRefusal(error, 'store.full'));
        fill(false);
        assert.deepEqual(
          [commits, await journal.lastId(), await journal.lastSeq(OTHER)],
          [1, 1, 0],
        );
        const beside = journal.append(OTHER, 0, [submitted()], at(1));
        await assert.rejects(both(1), (error) => isRefusal(error, 'store.conflict'));
        await beside;
        assert.deepEqual([commits, await journal.lastId(), await journal.lastSeq(RUN)], [2, 2, 1]);
        const stored = await journal.appendAll(
          [
            { stream: RUN, lastSeq: 1, events: [begun('one')] },
            { stream: OTHER, lastSeq: 1, events: [begun('two'), ended('two')] },
          ],
          at(3),
        );
        assert.deepEqual(stored.flat(), await journal.readAll({ after: 2, limit: 9 }));
        assert.deepEqual([commits, stored.map(({ length }) => length)], [3, [1, 2]]);
      },
    );

    using('no facts are no change', async ({ journal }) => {
      let commits = 0;
      journal.onCommit(() => (commits += 1));
      assert.deepEqual(await journal.append(RUN, 0, [], at(1)), []);
      assert.deepEqual([commits, await journal.lastId(), await journal.lastSeq(RUN)], [0, 0, 0]);
    });

    using('what the caller does to its objects later changes no fact', async ({ journal }) => {
      const result: Record<string, unknown> = { text: 'as it was' };
      const appended = journal.append(RUN, 0, [ended('one', { kind: 'done', result })], at(1));
      result['text'] = 'changed';
      await appended;
      const [stored] = await journal.readAll(ALL);
      assert.deepEqual(stored?.payload, {
        key: 'one',
        command: 'work',
        end: { kind: 'done', result: { text: 'as it was' } },
      });
    });

    using(
      'a full disk refuses the whole append, and the journal works on after it',
      async (under) => {
        const { journal, fill } = under;
        await journal.append(RUN, 0, [submitted()], at(1));
        const before = await journal.run('a000000000');
        fill(true);
        for (let turn = 0; turn < 3; turn += 1) {
          await assert.rejects(
            journal.append(RUN, 1, [begun('one'), noted('one', LONG)], at(2)),
            (error) => isRefusal(error, 'store.full'),
          );
        }
        assert.deepEqual([await journal.lastId(), await journal.lastSeq(RUN)], [1, 1]);
        assert.deepEqual(await journal.run('a000000000'), before);
        fill(false);
        await journal.append(RUN, 1, [begun('one'), noted('one', LONG)], at(3));
        const reopened = await under.reopen();
        assert.deepEqual(
          (await reopened.readAll(ALL)).map(({ id, type }) => `${id} ${type}`),
          ['1 run.submitted', '2 command.begun', '3 command.noted'],
        );
      },
    );
  });

  readingConformance(name, using);

  describe(`${name}: commits`, () => {
    using(
      'a listener hears the last id once its facts can be read, until it is taken off',
      async ({ journal }) => {
        const received: number[] = [];
        const readable: Promise<number>[] = [];
        const stop = journal.onCommit((lastId) => {
          received.push(lastId);
          readable.push(journal.readAll(ALL).then((events) => events.length));
        });
        const two = [
          journal.append(RUN, 0, [submitted(), begun('one')], at(1)),
          journal.append(OTHER, 0, [submitted()], at(1)),
        ];
        assert.deepEqual(received, []);
        await Promise.all(two);
        assert.deepEqual([received, await Promise.all(readable)], [[3], [3]]);
        stop();
        await journal.append(RUN, 2, [ended('one')], at(2));
        assert.deepEqual(received, [3]);
      },
    );

    using(
      'a listener that throws harms neither the append nor the other listeners',
      async ({ journal }) => {
        const received: number[] = [];
        journal.onCommit(() => {
          throw new Error('a bug of the listener');
        });
        journal.onCommit((lastId) => received.push(lastId));
        assert.equal((await journal.append(RUN, 0, [submitted()], at(1))).length, 1);
        assert.deepEqual(received, [1]);
      },
    );
  });

  describe(`${name}: closing`, () => {
    using(
      'closing waits for what was asked before it, and refuses what is asked after',
      async (under) => {
        const { journal } = under;
        const before = journal.append(RUN, 0, [submitted()], at(1));
        const closing = journal.close();
        const after = journal.append(RUN, 1, [begun('one')], at(1));
        await assert.rejects(after, (error) => isRefusal(error, 'store.closed'));
        await closing;
        assert.equal((await before).length, 1);
        await assert.rejects(journal.lastId(), (error) => isRefusal(error, 'store.closed'));
        await journal.close();
        assert.equal(await (await under.reopen()).lastId(), 1);
      },
    );

    using('whoever opens it again sees everything that was acknowledged', async (under) => {
      const { journal } = under;
      await journal.append(RUN, 0, [submitted(), begun('one')], at(1));
      await journal.append(OTHER, 0, [submitted('/other')], at(2));
      const read = async (one: Journal): Promise<unknown> => [
        await one.readAll(ALL),
        await one.runs({ limit: 10 }),
        await one.lastSeq(RUN),
        await one.lastId(),
      ];
      const before = await read(journal);
      const reopened = await under.reopen();
      assert.deepEqual(await read(reopened), before);
      await reopened.append(RUN, 2, [ended('one')], at(3));
      assert.equal(await reopened.lastId(), 4);
    });
  });
}
