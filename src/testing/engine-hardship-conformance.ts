/** The third part of the engine's suite: broken programs, full disks, and the end of the owner. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Limit } from '../engine/limits.ts';
import type { EngineWorld, MakeEngine } from './engine-world.ts';
import { story } from './engine-world.ts';
import { settle } from './manual-clock.ts';
import type { Mischief } from './puppet-program.ts';
import { puppetSubmission } from './puppet-program.ts';

const ONE: readonly Limit[] = [{ key: 'x', concurrencyMax: 1 }];
const SECOND = 1000;

const isFull = (error: unknown): boolean => isRefusal(error, 'store.full');
const isClosed = (error: unknown): boolean => isRefusal(error, 'store.closed');

export function engineHardshipConformance(name: string, make: MakeEngine): void {
  const on = (why: string, body: (world: EngineWorld) => Promise<void>): void => {
    test(why, async () => {
      await using world = await make(ONE);
      await body(world);
    });
  };

  describe(`${name}: a program that is broken`, () => {
    const cases: [mischief: Mischief, says: RegExp][] = [
      ['throw-in-next', /trips in next/],
      ['throw-in-fold', /trips in fold/],
      ['finish-while-open', /while something is open/],
      ['decide-without-end', /decides without end/],
      ['say-nothing', /nothing to do and no end/],
    ];
    for (const [mischief, says] of cases) {
      on(`${mischief}: its run stands still and says so, the others go on`, async (world) => {
        const { engine, performer, defects } = world;
        const open = mischief === 'finish-while-open' ? [{ ask: '?' }] : [];
        const first = { perform: 'a', limits: ['x'] };
        const broken = await engine.start(puppetSubmission([first], [...open, { mischief }]));
        const other = await engine.start(puppetSubmission([{ perform: 'b', limits: ['x'] }]));
        await settle();
        performer.finish('a');
        await settle(40);
        performer.finish('b');
        await settle();
        assert.equal((await engine.get(other))?.outcome?.kind, 'succeeded');
        assert.equal((await engine.get(broken))?.outcome, null);
        assert.equal(defects.length, 1);
        assert.match(String(defects[0]), says);
        assert.match(String(defects[0]), new RegExp(broken));
        assert.deepEqual(engine.busy(), { runs: 0, commands: 0 });
        // Nobody may believe that a stop was taken which nobody wrote down.
        await assert.rejects(engine.signal(broken, { kind: 'stop' }), /stands still/);
      });
    }

    on('what it performs is called off, and its room goes to the next', async (world) => {
      const { engine, performer, defects } = world;
      await engine.start(puppetSubmission([{ perform: 'a', limits: ['x'] }, { perform: 'deaf' }]));
      await engine.start(puppetSubmission([{ perform: 'b', limits: ['x'] }]));
      await settle();
      assert.deepEqual(performer.labels(), ['a', 'deaf']);
      await performer.going[0]?.errand.note({ trip: true });
      await settle();
      assert.deepEqual([performer.labels(), defects.length], [['b'], 1]);
      assert.deepEqual(engine.busy(), { runs: 1, commands: 1 });
    });

    on('what it was let in for and never began is free again', async (world) => {
      const { engine, performer } = world;
      const mischief = 'finish-while-open';
      await engine.start(puppetSubmission([{ perform: 'a', limits: ['x'] }, { mischief }]));
      await engine.start(puppetSubmission([{ perform: 'b', limits: ['x'] }]));
      await settle();
      assert.deepEqual(performer.begun, ['b']);
    });

    on('a submission that its program chokes on is never written', async ({ engine }) => {
      const submission = { ...puppetSubmission(), program: 'nobody' };
      await assert.rejects(engine.start(submission), (error) =>
        isRefusal(error, 'request.invalid'),
      );
      assert.deepEqual(await engine.list({ limit: 9 }), []);
    });
  });

  describe(`${name}: a full disk`, () => {
    on('holds the run; it goes on when there is room, and nothing is lost', async (world) => {
      const { engine, performer, clock, fill } = world;
      // Eight stages cross the place of a snapshot more than once.
      const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const run = await engine.start(
        puppetSubmission(...labels.map((perform) => [{ perform, limits: ['x'] }])),
      );
      for (const label of labels) {
        await settle();
        fill(true);
        performer.finish(label);
        await clock.advance(3 * SECOND);
        assert.deepEqual(performer.labels(), []);
        fill(false);
        await clock.advance(SECOND);
      }
      assert.deepEqual(performer.begun, labels);
      assert.equal((await story(engine, run)).length, 2 + 2 * labels.length);
      assert.equal((await engine.get(run))?.outcome?.kind, 'succeeded');
      assert.deepEqual(world.defects, []);
    });

    on('refuses a signal at once instead of letting its sender wait', async (world) => {
      const { engine, performer, clock, fill } = world;
      const run = await engine.start(puppetSubmission([{ perform: 'a' }], [{ perform: 'b' }]));
      await settle();
      fill(true);
      await assert.rejects(engine.signal(run, { kind: 'stop' }), isFull);
      performer.finish('a');
      await settle();
      await assert.rejects(engine.signal(run, { kind: 'stop' }), isFull);
      fill(false);
      await clock.advance(SECOND);
      await engine.signal(run, { kind: 'stop' });
      await settle();
      assert.deepEqual((await story(engine, run)).slice(2), [
        'done s0/0-1',
        'begun s1/0-1',
        'signal stop',
        'ask s1/0-1',
        'done s1/0-1',
        'ended cancelled',
      ]);
      assert.deepEqual(world.defects, []);
    });

    on('does not keep the next owner from opening', async (world) => {
      const run = await world.engine.start(puppetSubmission([{ perform: 'a' }]));
      await settle();
      world.fill(true);
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.begun, []);
      next.fill(false);
      await next.clock.advance(SECOND);
      assert.deepEqual(next.performer.labels(), ['a']);
      assert.equal((await next.engine.get(run))?.lost, 1);
    });

    on('does not keep the owner from closing', async (world) => {
      const { engine, performer, fill } = world;
      await engine.start(puppetSubmission([{ perform: 'a' }]));
      await settle();
      fill(true);
      performer.finish('a');
      await settle();
      await engine.close();
      assert.deepEqual(world.defects, []);
    });
  });

  describe(`${name}: the owner closes`, () => {
    on('what it performs is called off and is lost for the next one', async (world) => {
      const run = await world.engine.start(puppetSubmission([{ perform: 'deaf' }]));
      await settle();
      await world.engine.close();
      assert.deepEqual(world.performer.labels(), []);
      await using next = await world.crash();
      await settle();
      assert.deepEqual((await story(next.engine, run)).slice(1), [
        'begun s0/0-1',
        'lost s0/0-1',
        'begun s0/0-2',
      ]);
    });

    on('nothing is performed that began in that moment', async (world) => {
      const { engine, performer } = world;
      await engine.start(puppetSubmission([{ perform: 'a' }])); // its begun is on the way
      await engine.close();
      await settle();
      assert.deepEqual(performer.labels(), []);
      assert.deepEqual(world.clock.sleeping, 0);
    });

    on('a note after that resolves and is not written', async (world) => {
      const { engine, performer } = world;
      const run = await engine.start(puppetSubmission([{ perform: 'a' }]));
      await settle();
      const errand = performer.going[0]?.errand;
      errand?.killed.addEventListener('abort', () => void errand.note({ last: 'words' }));
      await engine.close();
      await errand?.note({ too: 'late' });
      assert.equal((await engine.get(run))?.seq, 2);
    });

    on('a note of a command that has ended is not written', async ({ engine, performer }) => {
      const run = await engine.start(puppetSubmission([{ perform: 'a' }]));
      await settle();
      const errand = performer.going[0]?.errand;
      performer.finish('a');
      await settle();
      await errand?.note({ too: 'late' });
      assert.equal((await story(engine, run)).at(-1), 'ended succeeded');
      assert.equal((await engine.get(run))?.seq, 4);
    });

    on('a signal that was on its way is refused, unless it is on record', async (world) => {
      const run = await world.engine.start(puppetSubmission([{ ask: '?' }]));
      await settle();
      const signalled = world.engine.signal(run, { kind: 'stop' });
      const [, taken] = await Promise.allSettled([world.engine.close(), signalled]);
      await using next = await world.crash();
      const isOnRecord = (await story(next.engine, run)).includes('signal stop');
      assert.equal(taken.status === 'fulfilled', isOnRecord);
      if (taken.status === 'rejected') assert.ok(isClosed(taken.reason), String(taken.reason));
    });

    on('whoever asks for something after that is refused', async ({ engine }) => {
      const run = await engine.start(puppetSubmission([{ ask: '?' }]));
      await settle();
      await engine.close();
      await assert.rejects(engine.start(puppetSubmission([{ ask: '?' }])), isClosed);
      await assert.rejects(engine.fork(run, 1), isClosed);
      await assert.rejects(engine.signal(run, { kind: 'stop' }), isClosed);
      assert.equal((await engine.list({ limit: 9 })).length, 1);
    });
  });

  describe(`${name}: odd corners`, () => {
    on('a run that uses a key again and again lets the others in between', async (world) => {
      const { engine, performer } = world;
      const long = ['a', 'b', 'c'].map((perform) => [{ perform, limits: ['x'] }]);
      await engine.start(puppetSubmission(...long));
      await engine.start(puppetSubmission([{ perform: 'other', limits: ['x'] }]));
      for (let turn = 0; turn < 4; turn += 1) {
        await settle();
        performer.finish(performer.labels()[0] ?? '');
      }
      assert.deepEqual(performer.begun, ['a', 'other', 'b', 'c']);
    });

    on('following from the last fact of a run that has ended ends at once', async (world) => {
      const run = await world.engine.start(puppetSubmission([{ waitMs: 0 }]));
      await settle();
      const seen: unknown[] = [];
      const { signal } = new AbortController();
      for await (const event of world.engine.follow(run, 4, signal)) seen.push(event);
      assert.deepEqual(seen, []);
    });

    on('a run can be forked up to its end, and not at it', async ({ engine }) => {
      const run = await engine.start(puppetSubmission([{ waitMs: 0 }]));
      await settle();
      assert.equal((await engine.get(run))?.seq, 4);
      await assert.rejects(engine.fork(run, 4), (error) => isRefusal(error, 'request.invalid'));
      const nobody = engine.fork('0000000000' as RunId, 1);
      await assert.rejects(nobody, (error) => isRefusal(error, 'run.not-found'));
      const fork = await engine.fork(run, 3);
      await settle();
      assert.equal((await engine.get(fork))?.outcome?.kind, 'succeeded');
    });

    on('a fork asks its own questions, and so does the fork of a fork', async (world) => {
      const { engine } = world;
      const run = await engine.start(puppetSubmission([{ ask: 'may I?' }]));
      await settle();
      const child = await engine.fork(run, 2);
      await settle();
      const grandchild = await engine.fork(child, 3);
      await settle();
      assert.deepEqual(await story(engine, grandchild), [
        'forked at 3',
        'lost s0/0-2',
        'begun s0/0-3',
      ]);
      const open = (await engine.get(grandchild))?.open.map(({ key }) => key);
      assert.deepEqual(open, ['s0/0-3']);
      await engine.signal(grandchild, { kind: 'answer', key: 's0/0-3', answer: 'yes' });
      await settle();
      const views = await Promise.all([run, child, grandchild].map((one) => engine.get(one)));
      assert.deepEqual(
        views.map((view) => view?.outcome?.kind),
        [undefined, undefined, 'succeeded'],
      );
    });

    on(
      'a wait that was over before it began ends, also when the clock is set back',
      async (world) => {
        const { engine, clock } = world;
        const run = await engine.start(puppetSubmission([{ waitMs: 1000 }], [{ waitMs: -5 }]));
        await settle();
        await clock.jump(-500);
        await clock.advance(1499);
        assert.equal((await engine.get(run))?.outcome, null);
        await clock.jump(60_000);
        assert.equal((await engine.get(run))?.outcome?.kind, 'succeeded');
      },
    );

    on('retry-now ends waits and nothing else', async ({ engine, performer }) => {
      const run = await engine.start(puppetSubmission([{ perform: 'a', until: 5 }, { waitMs: 5 }]));
      await settle();
      await engine.signal(run, { kind: 'retry-now' });
      await settle();
      assert.deepEqual(performer.labels(), ['a']);
      assert.deepEqual((await story(engine, run)).slice(3), ['signal retry-now', 'done s0/1-1']);
    });
  });
}
