/** Part of the engine's suite: deaths of owners, limits, forks and followers. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { isRefusal } from '../../base/errors.ts';
import type { Limit } from '../../engine/limits.ts';
import type { MakeEngine } from './engine-under-test.ts';
import { engineStory, testsOn } from './engine-under-test.ts';
import { settle } from '../fakes/manual-clock.ts';
import { fakeSubmission } from '../fakes/fake-program.ts';

export function engineRecoveryConformance(name: string, make: MakeEngine): void {
  const on = testsOn(make);

  describe(`${name}: after its owner died`, () => {
    on(
      'running commands are interrupted, and the program decides what follows',
      [],
      async (world) => {
        const run = await world.engine.start(fakeSubmission([{ perform: 'a' }]));
        await settle();
        await using next = await world.crash();
        await settle();
        assert.deepEqual(next.performer.labels(), ['a']);
        next.performer.finish('a');
        await settle();
        assert.deepEqual(await engineStory(next.engine, run), [
          'submitted',
          'begun s0/0-1',
          'interrupted s0/0-1',
          'begun s0/0-2',
          'done s0/0-2',
          'ended succeeded',
        ]);
      },
    );

    on('a wait continues to the same instant, and ends if that has passed', [], async (world) => {
      const { clock } = world;
      const soon = await world.engine.start(fakeSubmission([{ waitMs: 100 }]));
      const late = await world.engine.start(fakeSubmission([{ waitMs: 5000 }]));
      await clock.advance(50);
      await using next = await world.crash();
      await clock.advance(50);
      assert.equal((await next.engine.get(soon))?.outcome?.kind, 'succeeded');
      assert.equal((await next.engine.get(late))?.outcome, null);
      await clock.advance(4900);
      assert.equal((await next.engine.get(late))?.outcome?.kind, 'succeeded');
    });

    on('a question is still open', [], async (world) => {
      const run = await world.engine.start(fakeSubmission([{ ask: 'may I?' }]));
      await settle();
      await using next = await world.crash();
      await next.engine.signal(run, { kind: 'answer', key: 's0/0-1', answer: 'yes' });
      await settle();
      assert.equal((await next.engine.get(run))?.outcome?.kind, 'succeeded');
    });

    on(
      'a question keeps its time limit, also if no owner ran when it was over',
      [],
      async (world) => {
        const { clock } = world;
        const ask = { ask: 'may I?', withinMs: 1000 };
        const run = await world.engine.start(fakeSubmission([ask]));
        await clock.advance(400);
        await using second = await world.crash();
        await clock.advance(599);
        assert.equal((await second.engine.get(run))?.outcome, null);
        await using third = await second.crash();
        await clock.advance(1);
        assert.equal((await third.engine.get(run))?.outcome?.kind, 'succeeded');
      },
    );

    on('a paused run stays paused, with its interrupted commands on record', [], async (world) => {
      const run = await world.engine.start(fakeSubmission([{ perform: 'a' }]));
      await settle();
      await world.engine.signal(run, { kind: 'pause' });
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.labels(), []);
      const fork = await next.engine.fork(run, (await next.engine.get(run))?.seq ?? 0);
      await settle();
      assert.deepEqual(
        [next.performer.labels(), (await next.engine.get(fork))?.pausedAt],
        [['a'], null],
      );
      next.performer.finish('a');
      await next.engine.signal(run, { kind: 'unpause' });
      await settle();
      next.performer.finish('a');
      await settle();
      assert.deepEqual(await engineStory(next.engine, run), [
        'submitted',
        'begun s0/0-1',
        'signal pause',
        'interrupted s0/0-1',
        'signal unpause',
        'begun s0/0-2',
        'done s0/0-2',
        'ended succeeded',
      ]);
    });

    on('a requested stop is obeyed, and nothing begins again', [], async (world) => {
      const run = await world.engine.start(fakeSubmission([{ perform: 'deaf' }]));
      await settle();
      await world.engine.signal(run, { kind: 'stop' });
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.begun, []);
      assert.equal((await next.engine.get(run))?.outcome?.kind, 'cancelled');
    });

    on('a long history is resumed where it was', [], async (world) => {
      const stages = Array.from({ length: 40 }, (_, n) => [{ perform: `p${n}` }]);
      const run = await world.engine.start(fakeSubmission(...stages));
      for (let n = 0; n < 25; n += 1) {
        await settle();
        world.performer.finish(`p${n}`);
      }
      await settle();
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.labels(), ['p25']);
      assert.equal((await next.engine.get(run))?.outcome, null);
    });
  });

  describe(`${name}: limits per key`, () => {
    const one: readonly Limit[] = [{ key: 'x', concurrencyMax: 1 }];

    on(
      'no more commands than the limit are performed, and the next in line follows',
      one,
      async (world) => {
        const { engine, performer } = world;
        for (const label of ['a', 'b', 'c'])
          await engine.start(fakeSubmission([{ perform: label, limits: ['x'] }]));
        await settle();
        assert.deepEqual(performer.labels(), ['a']);
        performer.finish('a');
        await settle();
        assert.deepEqual(performer.labels(), ['b']);
        performer.finish('b');
        await settle();
        assert.deepEqual(performer.labels(), ['c']);
      },
    );

    on('a run that needs another key is not delayed', one, async ({ engine, performer }) => {
      for (const [label, key] of [
        ['a', 'x'],
        ['b', 'x'],
        ['c', 'y'],
      ] as const) {
        await engine.start(fakeSubmission([{ perform: label, limits: [key] }]));
      }
      await settle();
      assert.deepEqual(performer.labels(), ['a', 'c']);
    });

    on('a run that is stopped in the line leaves it', one, async ({ engine, performer }) => {
      await engine.start(fakeSubmission([{ perform: 'a', limits: ['x'] }]));
      const waiting = await engine.start(fakeSubmission([{ perform: 'b', limits: ['x'] }]));
      await engine.start(fakeSubmission([{ perform: 'c', limits: ['x'] }]));
      await settle();
      await engine.signal(waiting, { kind: 'stop' });
      performer.finish('a');
      await settle();
      assert.deepEqual(performer.begun, ['a', 'c']);
    });

    on(
      'a starred key limits each of its kind separately',
      [{ key: 'p:*', concurrencyMax: 1 }],
      async (world) => {
        for (const [label, key] of [
          ['a', 'p:1'],
          ['b', 'p:1'],
          ['c', 'p:2'],
        ] as const) {
          await world.engine.start(fakeSubmission([{ perform: label, limits: [key] }]));
        }
        await settle();
        assert.deepEqual(world.performer.labels(), ['a', 'c']);
      },
    );

    on(
      'an interrupted command has its slot again before those that waited, after other work too',
      [{ key: 'x', concurrencyMax: 1 }],
      async (world) => {
        const first = [{ perform: 'a', limits: ['x'] }, { perform: 'look' }];
        await world.engine.start(fakeSubmission(first));
        for (const label of ['b', 'c'])
          await world.engine.start(fakeSubmission([{ perform: label, limits: ['x'] }]));
        await settle();
        await using next = await world.crash();
        await settle();
        assert.deepEqual(next.performer.labels(), ['a', 'look']);
        next.performer.finish('look');
        for (const label of ['a', 'b', 'c']) {
          next.performer.finish(label);
          await settle();
        }
        assert.deepEqual(next.performer.begun, ['a', 'look', 'b', 'c'], 'and is counted once');
      },
    );

    on(
      'an interrupted run that is stopped or paused gives its slot to those that waited',
      [{ key: 'x', concurrencyMax: 1 }],
      async (world) => {
        const run = await world.engine.start(fakeSubmission([{ perform: 'a', limits: ['x'] }]));
        await world.engine.start(fakeSubmission([{ perform: 'b', limits: ['x'] }]));
        await settle();
        await world.engine.signal(run, { kind: 'pause' });
        await using next = await world.crash();
        await settle();
        assert.deepEqual(next.performer.labels(), ['b']);
        await next.engine.signal(run, { kind: 'unpause' });
        next.performer.finish('b');
        await settle();
        assert.deepEqual(next.performer.labels(), ['a']);
        next.performer.finish('a');
      },
    );

    const rate: readonly Limit[] = [{ key: 'x', rate: { startsMax: 2, perMs: 1000 } }];

    on('a rate spreads the starts, across a death of the owner too', rate, async (world) => {
      const { clock } = world;
      for (const label of ['a', 'b', 'c']) {
        await world.engine.start(fakeSubmission([{ perform: label, limits: ['x'] }]));
        await clock.advance(100);
      }
      assert.deepEqual(world.performer.begun, ['a', 'b']);
      await using next = await world.crash();
      await clock.advance(600);
      assert.deepEqual(next.performer.begun, []);
      await clock.advance(2000);
      assert.deepEqual(new Set(next.performer.begun), new Set(['a', 'b', 'c']));
    });
  });

  describe(`${name}: forks and followers`, () => {
    on('a fork continues from a prefix, and the original is unchanged', [], async (world) => {
      const { engine, performer } = world;
      const run = await engine.start(fakeSubmission([{ perform: 'a' }], [{ perform: 'b' }]));
      await settle();
      performer.finish('a');
      await settle();
      performer.finish('b');
      await settle();
      const fork = await engine.fork(run, 4);
      await settle();
      assert.deepEqual(performer.labels(), ['b']);
      performer.finish('b');
      await settle();
      assert.deepEqual(await engineStory(engine, fork), [
        'forked at 4',
        'interrupted s1/0-1',
        'begun s1/0-2',
        'done s1/0-2',
        'ended succeeded',
      ]);
      assert.equal((await engineStory(engine, run)).length, 6);
      await assert.rejects(engine.fork(run, 7), (error) => isRefusal(error, 'request.invalid'));
    });

    on(
      'a follower sees each fact once, and ends with the run',
      [],
      async ({ engine, performer }) => {
        const run = await engine.start(fakeSubmission([{ perform: 'a' }]));
        const seen: number[] = [];
        const following = (async () => {
          for await (const event of engine.follow(run, 0, new AbortController().signal))
            seen.push(event.seq);
        })();
        await settle();
        performer.finish('a');
        await following;
        assert.deepEqual(seen, [1, 2, 3, 4]);
      },
    );

    on('a cancelled follower ends at once', [], async ({ engine }) => {
      const run = await engine.start(fakeSubmission([{ ask: '?' }]));
      const off = new AbortController();
      const following = (async () => {
        for await (const event of engine.follow(run, 1, off.signal)) assert.ok(event.seq > 1);
      })();
      await settle();
      off.abort();
      await following;
    });

    on('following an unknown run is refused', [], async ({ engine }) => {
      const nobody = engine.follow('0000000000' as RunId, 0, new AbortController().signal);
      await assert.rejects(nobody[Symbol.asyncIterator]().next(), (error) =>
        isRefusal(error, 'run.not-found'),
      );
    });
  });
}
