/** Part of the engine's suite: corner cases of limits, forks and waits. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Limit } from '../../engine/limits.ts';
import type { MakeEngine } from './engine-under-test.ts';
import { engineStory, testsOn } from './engine-under-test.ts';
import { settle } from '../fakes/manual-clock.ts';
import { fakeSubmission } from '../fakes/fake-program.ts';

const ONE: readonly Limit[] = [{ key: 'x', concurrencyMax: 1 }];

export function engineCornersConformance(name: string, make: MakeEngine): void {
  const on = testsOn(make);

  describe(`${name}: corner cases`, () => {
    on('a run that uses a key again and again lets other runs in between', ONE, async (world) => {
      const { engine, performer } = world;
      const long = ['a', 'b', 'c'].map((perform) => [{ perform, limits: ['x'] }]);
      await engine.start(fakeSubmission(...long));
      await engine.start(fakeSubmission([{ perform: 'other', limits: ['x'] }]));
      for (let turn = 0; turn < 4; turn += 1) {
        await settle();
        performer.finish(performer.labels()[0] ?? '');
      }
      assert.deepEqual(performer.begun, ['a', 'other', 'b', 'c']);
    });

    on('following from the last fact of an ended run ends at once', ONE, async (world) => {
      const run = await world.engine.start(fakeSubmission([{ waitMs: 0 }]));
      await settle();
      const seen: unknown[] = [];
      const { signal } = new AbortController();
      for await (const event of world.engine.follow(run, 4, signal)) seen.push(event);
      assert.deepEqual(seen, []);
    });

    on('a run can be forked up to its end, and not at it', ONE, async ({ engine }) => {
      const run = await engine.start(fakeSubmission([{ waitMs: 0 }]));
      await settle();
      assert.equal((await engine.get(run))?.seq, 4);
      await assert.rejects(engine.fork(run, 4), (error) => isRefusal(error, 'request.invalid'));
      const nobody = engine.fork('0000000000' as RunId, 1);
      await assert.rejects(nobody, (error) => isRefusal(error, 'run.not-found'));
      const fork = await engine.fork(run, 3);
      await settle();
      assert.equal((await engine.get(fork))?.outcome?.kind, 'succeeded');
    });

    on('a fork asks its own questions, and so does the fork of a fork', ONE, async (world) => {
      const { engine } = world;
      const run = await engine.start(fakeSubmission([{ ask: 'may I?' }]));
      await settle();
      const child = await engine.fork(run, 2);
      await settle();
      const grandchild = await engine.fork(child, 3);
      await settle();
      assert.deepEqual(await engineStory(engine, grandchild), [
        'forked at 3',
        'interrupted s0/0-2',
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
      'a wait that was over before it began ends, even if the clock is set back',
      ONE,
      async (world) => {
        const { engine, clock } = world;
        const run = await engine.start(fakeSubmission([{ waitMs: 1000 }], [{ waitMs: -5 }]));
        await settle();
        await clock.jump(-500);
        await clock.advance(1499);
        assert.equal((await engine.get(run))?.outcome, null);
        await clock.jump(60_000);
        assert.equal((await engine.get(run))?.outcome?.kind, 'succeeded');
      },
    );

    on('retry-now ends waits and nothing else', ONE, async ({ engine, performer }) => {
      const run = await engine.start(fakeSubmission([{ perform: 'a', until: 5 }, { waitMs: 5 }]));
      await settle();
      await engine.signal(run, { kind: 'retry-now' });
      await settle();
      assert.deepEqual(performer.labels(), ['a']);
      assert.deepEqual((await engineStory(engine, run)).slice(3), [
        'signal retry-now',
        'done s0/1-1',
      ]);
    });
  });
}
