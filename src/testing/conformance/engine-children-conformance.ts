/** Part of the engine's suite: runs that a run starts. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { Limit } from '../../engine/limits.ts';
import { CHILD_DEPTH_MAX, CHILDREN_MAX } from '../../protocol/child-run.ts';
import type { FakeCommand, FakeProgramState } from '../fakes/fake-program.ts';
import { fakeSubmission } from '../fakes/fake-program.ts';
import { settle } from '../fakes/manual-clock.ts';
import { child, childResult, dance, needed, outcomeOf, run } from './child-run-stories.ts';
import type { MakeEngine } from './engine-under-test.ts';
import { engineStory, testsOn } from './engine-under-test.ts';

export function engineChildrenConformance(name: string, make: MakeEngine): void {
  const on = testsOn(make);

  describe(`${name}: a run that starts runs`, () => {
    on('gets the outcome of its child as the result of the command', [], async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(fakeSubmission([run([dance('a')])], [dance('b')]));
      const own = child(parent, 's0/0-1');
      await settle();
      assert.deepEqual(
        (await engine.get(parent))?.open.map(({ key, run }) => [key, run]),
        [['s0/0-1', own]],
      );
      assert.equal((await engine.get(own))?.parent, parent);
      performer.finish('a');
      await settle();
      performer.finish('b');
      await settle();
      assert.deepEqual(await engineStory(engine, own), [
        'submitted',
        'begun s0/0-1',
        'done s0/0-1',
        'ended succeeded',
      ]);
      assert.deepEqual(await engineStory(engine, parent), [
        'submitted',
        'begun s0/0-1',
        'done s0/0-1',
        'begun s1/0-1',
        'done s1/0-1',
        'ended succeeded',
      ]);
      assert.deepEqual(await childResult(world, parent, 's0/0-1'), {
        run: own,
        outcome: { kind: 'succeeded', reason: 'danced' },
      });
      assert.deepEqual(engine.busy(), { runs: 0, commands: 0 });
    });

    on('may have several children side by side', [], async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(
        fakeSubmission([run([dance('a')]), run([dance('b')]), dance('c')]),
      );
      await settle();
      assert.deepEqual(performer.labels().toSorted(), ['a', 'b', 'c']);
      assert.equal((await engine.get(parent))?.children, 2);
      for (const label of ['b', 'c', 'a']) performer.finish(label);
      await settle();
      assert.equal(await outcomeOf(world, parent), 'succeeded');
    });

    on('decides itself what a failed child means', [], async (world) => {
      const { engine, performer } = world;
      const failing = needed([needed([dance('a')])]);
      const parent = await engine.start(fakeSubmission([failing, run([dance('b')])]));
      await settle();
      await engine.signal(child(child(parent, 's0/0-1'), 's0/0-1'), { kind: 'stop' });
      await settle();
      assert.deepEqual(performer.labels(), []);
      assert.deepEqual((await engine.get(parent))?.outcome, {
        kind: 'failed',
        reason: 'failed: cancelled: stopped',
      });
      assert.equal(await outcomeOf(world, child(parent, 's0/1-1')), 'cancelled');
    });

    on('gets a cancelled outcome if a person stops the child', [], async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(fakeSubmission([run([dance('a')])], [dance('b')]));
      await settle();
      await engine.signal(child(parent, 's0/0-1'), { kind: 'stop' });
      await settle();
      assert.equal((await childResult(world, parent, 's0/0-1')).outcome.kind, 'cancelled');
      assert.deepEqual(performer.labels(), ['b']);
    });

    on('stops its children first, and ends after them', [], async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(
        fakeSubmission([run([run([dance('deaf')])]), run([{ waitMs: 1e9 }])]),
      );
      const first = child(parent, 's0/0-1');
      await settle();
      await engine.signal(parent, { kind: 'stop' });
      await settle();
      assert.deepEqual(performer.labels(), ['deaf']);
      assert.equal(await outcomeOf(world, child(parent, 's0/1-1')), 'cancelled');
      assert.equal(await outcomeOf(world, parent), undefined);
      performer.finish('deaf');
      await settle();
      assert.equal(await outcomeOf(world, child(first, 's0/0-1')), 'cancelled');
      assert.equal(await outcomeOf(world, first), 'cancelled');
      assert.equal(await outcomeOf(world, parent), 'cancelled');
    });

    on('kills its children if it is killed', [], async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(fakeSubmission([run([run([dance('deaf')])])]));
      await settle();
      await engine.signal(parent, { kind: 'stop' });
      await engine.signal(parent, { kind: 'kill' });
      await settle();
      assert.deepEqual(performer.labels(), []);
      assert.equal(await outcomeOf(world, parent), 'cancelled');
    });

    on('pauses and unpauses its children, and their children', [], async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(fakeSubmission([run([run([dance('a')], [dance('b')])])]));
      const first = child(parent, 's0/0-1');
      const second = child(first, 's0/0-1');
      await settle();
      await engine.signal(parent, { kind: 'pause' });
      performer.finish('a');
      await settle();
      assert.deepEqual(performer.labels(), []);
      await assert.rejects(engine.signal(second, { kind: 'unpause' }), (error) =>
        isRefusal(error, 'request.invalid'),
      );
      await engine.signal(parent, { kind: 'unpause' });
      await settle();
      assert.deepEqual(performer.labels(), ['b']);
      assert.equal((await engine.get(first))?.pausedAt, null);
    });

    on('leaves a child paused that a person has paused', [], async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(fakeSubmission([run([dance('a')], [dance('b')])]));
      const own = child(parent, 's0/0-1');
      await settle();
      await engine.signal(own, { kind: 'pause' });
      await engine.signal(parent, { kind: 'pause' });
      await engine.signal(parent, { kind: 'unpause' });
      performer.finish('a');
      await settle();
      assert.deepEqual(performer.labels(), []);
      await engine.signal(own, { kind: 'unpause' });
      await settle();
      assert.deepEqual(performer.labels(), ['b']);
    });

    on('is refused a child that is nested too deep', [], async (world) => {
      const { engine } = world;
      const nest = (depth: number): FakeProgramState =>
        depth === 0 ? [{ waitMs: 1 }] : [needed(nest(depth - 1))];
      const deep = await engine.start(fakeSubmission(nest(CHILD_DEPTH_MAX + 1)));
      await settle();
      assert.match(
        (await engine.get(deep))?.outcome?.reason ?? '',
        /refused: Runs can be nested 4 deep, and this run is at depth 4\.$/,
      );
      const allowed = await engine.start(fakeSubmission(nest(CHILD_DEPTH_MAX)));
      await world.clock.advance(1);
      assert.equal(await outcomeOf(world, allowed), 'succeeded');
    });

    on('is refused more children than a run may have', [], async (world) => {
      const { engine } = world;
      const stage = Array.from({ length: CHILDREN_MAX + 1 }, () => run([{ waitMs: 0 }]));
      const parent = await engine.start(fakeSubmission(stage));
      await settle(400);
      assert.equal(await outcomeOf(world, parent), 'succeeded');
      assert.deepEqual(await childResult(world, parent, `s0/${CHILDREN_MAX}-1`), {
        run: null,
        outcome: {
          kind: 'refused',
          reason: 'A run can start 200 runs, and this run has started 200.',
        },
      });
      assert.equal((await engine.list({ limit: 1000 })).length, 1 + CHILDREN_MAX);
    });
  });

  describe(`${name}: limits and children`, () => {
    const ONE_RUN: readonly Limit[] = [{ key: 'x', concurrencyMax: 1, countsRuns: true }];
    const limited = (perform: string): FakeCommand => ({ perform, limits: ['x'] });

    on('a run gives its slot to its child while it waits for it', ONE_RUN, async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(
        fakeSubmission([limited('a')], [run([limited('b')]), { waitMs: 1000 }], [limited('c')]),
      );
      await settle();
      performer.finish('a');
      await settle();
      assert.deepEqual(performer.labels(), ['b']);
      performer.finish('b');
      await world.clock.advance(1000);
      performer.finish('c');
      await settle();
      assert.equal(await outcomeOf(world, parent), 'succeeded');
    });

    const THREE: readonly Limit[] = [
      { key: 'x', concurrencyMax: 1, countsRuns: true },
      { key: 'y', concurrencyMax: 1, countsRuns: true },
      { key: 'z', concurrencyMax: 1 },
    ];
    on(
      'a run that waits for a slot of its child holds none that the child needs',
      THREE,
      async (world) => {
        const { engine, performer } = world;
        await engine.start(fakeSubmission([{ perform: 'other', limits: ['z'] }]));
        const own = run([{ perform: 'b', limits: ['y'] }], [limited('c')]);
        const parent = await engine.start(
          fakeSubmission([limited('a')], [own, { perform: 'd', limits: ['y', 'z'] }]),
        );
        // The child keeps y, which the parent waits for. The parent has used x, which the child needs.
        for (const label of ['a', 'other', 'b', 'c', 'd']) {
          await settle();
          performer.finish(label);
        }
        await settle();
        assert.equal(await outcomeOf(world, parent), 'succeeded');
      },
    );
  });
}
