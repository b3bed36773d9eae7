/** Part of the engine's suite: child runs after a crash, in a fork, and with a defect. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fakeSubmission } from '../fakes/fake-program.ts';
import { settle } from '../fakes/manual-clock.ts';
import { child, childResult, dance, needed, outcomeOf, run } from './child-run-stories.ts';
import type { EngineUnderTest, MakeEngine } from './engine-under-test.ts';
import { engineStory, testsOn } from './engine-under-test.ts';

export function engineChildRecoveryConformance(name: string, make: MakeEngine): void {
  const on = testsOn(make);

  describe(`${name}: children after their owner died`, () => {
    on('continue, and their parent follows them to the end', [], async (world) => {
      const parent = await world.engine.start(
        fakeSubmission([run([dance('a')]), run([{ waitMs: 50 }])], [dance('b')]),
      );
      await settle();
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.labels(), ['a']);
      next.performer.finish('a');
      await next.clock.advance(50);
      next.performer.finish('b');
      await settle();
      assert.deepEqual((await engineStory(next.engine, parent)).toSorted(), [
        'begun s0/0-1',
        'begun s0/1-1',
        'begun s1/0-1',
        'done s0/0-1',
        'done s0/1-1',
        'done s1/0-1',
        'ended succeeded',
        'submitted',
      ]);
      assert.equal((await next.engine.list({ limit: 9 })).length, 3);
    });

    on('are paused if their parent is', [], async (world) => {
      const parent = await world.engine.start(fakeSubmission([run([dance('a')])]));
      await settle();
      await world.engine.signal(parent, { kind: 'pause' });
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.labels(), []);
      await next.engine.signal(parent, { kind: 'unpause' });
      await settle();
      assert.deepEqual(next.performer.labels(), ['a']);
    });

    on('are stopped if their parent was cancelling them', [], async (world) => {
      const parent = await world.engine.start(fakeSubmission([run([dance('deaf')])]));
      await settle();
      await world.engine.signal(parent, { kind: 'stop' });
      await settle();
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.begun, []);
      assert.equal(await outcomeOf(next, parent), 'cancelled');
      assert.equal(await outcomeOf(next, child(parent, 's0/0-1')), 'cancelled');
    });
  });

  describe(`${name}: forks and children`, () => {
    on('a fork reuses the outcome of a child that ended well', [], async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(
        fakeSubmission([run([dance('a')]), needed([dance('b')])], [dance('c')]),
      );
      await settle();
      performer.finish('a');
      await settle();
      await engine.signal(child(parent, 's0/1-1'), { kind: 'stop' });
      await settle();
      assert.equal(await outcomeOf(world, parent), 'failed');
      const fork = await engine.fork(parent, 3); // both children were open then
      await settle();
      assert.deepEqual(performer.labels(), ['b']);
      performer.finish('b');
      await settle();
      performer.finish('c');
      await settle();
      assert.deepEqual(await engineStory(engine, fork), [
        'forked at 3',
        'done s0/0-1',
        'noted s0/1-1',
        'done s0/1-1',
        'begun s1/0-1',
        'done s1/0-1',
        'ended succeeded',
      ]);
      assert.deepEqual((await childResult(world, fork, 's0/0-1')).run, child(parent, 's0/0-1'));
      assert.deepEqual(performer.begun, ['a', 'b', 'b', 'c']);
    });

    on('a fork continues a child that did not end well', [], async (world) => {
      const { engine, performer } = world;
      const parent = await engine.start(fakeSubmission([run([dance('a')], [dance('b')])]));
      await settle();
      performer.finish('a');
      await settle();
      await engine.signal(parent, { kind: 'stop' });
      await settle();
      const fork = await engine.fork(parent, 2);
      const own = child(fork, 's0/0-1');
      await settle();
      assert.deepEqual(performer.labels(), ['b']);
      assert.equal((await engine.get(own))?.parent, fork);
      performer.finish('b');
      await settle();
      assert.deepEqual(await engineStory(engine, own), [
        'forked at 3',
        'begun s1/0-1',
        'done s1/0-1',
        'ended succeeded',
      ]);
      assert.equal(await outcomeOf(world, fork), 'succeeded');
    });

    on('the fork of a child has no parent', [], async ({ engine, performer }) => {
      const parent = await engine.start(fakeSubmission([run([dance('a')])]));
      await settle();
      const fork = await engine.fork(child(parent, 's0/0-1'), 1);
      await settle();
      assert.equal((await engine.get(fork))?.parent, null);
      for (const one of performer.going) one.done();
      await settle();
    });
  });

  describe(`${name}: a child with a defect`, () => {
    const broken = async (body: (world: EngineUnderTest) => Promise<void>): Promise<void> => {
      await using world = await make([]);
      await body(world);
    };

    test('is a result, and its parent continues', () =>
      broken(async (world) => {
        const { engine, performer, defects } = world;
        const parent = await engine.start(
          fakeSubmission([run([{ fault: 'throw-in-next' }])], [dance('b')]),
        );
        await settle();
        assert.equal(defects.length, 1);
        const { outcome } = await childResult(world, parent, 's0/0-1');
        assert.match(`${outcome.kind}: ${outcome.reason}`, /^failed: a defect .* trips in next/);
        assert.deepEqual(performer.labels(), ['b']);
        performer.finish('b');
        await settle();
        assert.equal(await outcomeOf(world, parent), 'succeeded');
        assert.deepEqual(engine.busy(), { runs: 0, commands: 0 });
      }));

    test('ends after its own children', () =>
      broken(async (world) => {
        const { engine, performer } = world;
        const parent = await engine.start(fakeSubmission([run([run([dance('a')]), dance('b')])]));
        const first = child(parent, 's0/0-1');
        await settle();
        const own = performer.going.find(({ label }) => label === 'b');
        await own?.context.note({ trip: true });
        await settle();
        assert.deepEqual(performer.labels(), []);
        assert.equal(await outcomeOf(world, child(first, 's0/0-1')), 'cancelled');
        assert.equal(await outcomeOf(world, first), 'failed');
        assert.equal(await outcomeOf(world, parent), 'succeeded');
        assert.deepEqual(engine.busy(), { runs: 0, commands: 0 });
      }));

    test('and a halted parent that a person stops ends after its children', () =>
      broken(async (world) => {
        const { engine, performer } = world;
        const parent = await engine.start(fakeSubmission([run([dance('deaf')]), { perform: 'a' }]));
        await settle();
        const own = performer.going.find(({ label }) => label === 'a');
        await own?.context.note({ trip: true });
        await settle();
        await engine.signal(parent, { kind: 'stop' });
        await settle();
        assert.equal(await outcomeOf(world, parent), undefined);
        performer.finish('deaf');
        await settle();
        assert.equal(await outcomeOf(world, child(parent, 's0/0-1')), 'cancelled');
        assert.equal(await outcomeOf(world, parent), 'cancelled');
      }));
  });
}
