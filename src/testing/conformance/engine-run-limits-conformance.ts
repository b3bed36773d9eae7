/**
 * Part of the engine's suite: limits that count runs. A run keeps its slot between its commands.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Limit } from '../../engine/limits.ts';
import type { MakeEngine } from './engine-under-test.ts';
import { testsOn } from './engine-under-test.ts';
import { settle } from '../fakes/manual-clock.ts';
import type { FakeCommand } from '../fakes/fake-program.ts';
import { fakeSubmission } from '../fakes/fake-program.ts';

export function engineRunLimitsConformance(name: string, make: MakeEngine): void {
  const on = testsOn(make);

  describe(`${name}: a limit that counts runs`, () => {
    const RUNS: readonly Limit[] = [{ key: 'x', concurrencyMax: 1, countsRuns: true }];
    const dance = (perform: string): FakeCommand => ({ perform, limits: ['x'] });

    on('keeps the slot of a run between its commands', RUNS, async ({ engine, ...world }) => {
      const { performer, clock } = world;
      await engine.start(fakeSubmission([dance('a1')], [{ waitMs: 1000 }], [dance('a2')]));
      const other = await engine.start(fakeSubmission([dance('b')]));
      await settle();
      performer.finish('a1');
      await settle();
      assert.deepEqual(performer.begun, ['a1']);
      await clock.advance(1000);
      assert.deepEqual(performer.begun, ['a1', 'a2']);
      performer.finish('a2');
      await settle();
      performer.finish('b');
      await settle();
      assert.equal((await engine.get(other))?.outcome?.kind, 'succeeded');
    });

    const HOUR = 3_600_000;
    const waits: [why: string, wait: FakeCommand][] = [
      ['for a person', { ask: 'may I?' }],
      ['for an hour', { waitMs: HOUR }],
    ];
    for (const [why, wait] of waits) {
      on(
        `gives it to another run while the run waits ${why}`,
        RUNS,
        async ({ engine, ...world }) => {
          const { performer, clock } = world;
          const run = await engine.start(fakeSubmission([dance('a1')], [wait], [dance('a2')]));
          await engine.start(fakeSubmission([dance('b')]));
          await settle();
          performer.finish('a1');
          await settle();
          assert.deepEqual(performer.begun, ['a1', 'b']);
          if ('ask' in wait)
            await engine.signal(run, { kind: 'answer', key: 's1/0-1', answer: '' });
          await clock.advance(HOUR);
          assert.deepEqual(performer.labels(), ['b'], 'the place is taken now');
          performer.finish('b');
          await settle();
          assert.deepEqual(performer.labels(), ['a2']);
          performer.finish('a2');
        },
      );
    }

    on(
      'keeps it across a death of the owner: no other run gets in between',
      RUNS,
      async (world) => {
        const stages = [[dance('a1')], [{ waitMs: 1000 }], [dance('a2')]];
        await world.engine.start(fakeSubmission(...stages));
        await world.engine.start(fakeSubmission([dance('b')]));
        await settle();
        world.performer.finish('a1');
        await settle();
        await using next = await world.crash();
        await settle();
        assert.deepEqual(next.performer.begun, []);
        await world.clock.advance(1000);
        assert.deepEqual(next.performer.begun, ['a2']);
        next.performer.finish('a2');
        await settle();
        assert.deepEqual(next.performer.begun, ['a2', 'b'], 'and is counted once');
        next.performer.finish('b');
      },
    );

    on('an interrupted run begins again before the waiting ones', RUNS, async (world) => {
      const second = { perform: 'a2', limits: ['x'] };
      await world.engine.start(fakeSubmission([{ waitMs: 1000 }], [dance('b')]));
      await world.engine.start(fakeSubmission([dance('a1')], [second]));
      await world.clock.advance(1000);
      assert.deepEqual(world.performer.begun, ['a1']);
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.begun, ['a1']);
      for (const label of ['a1', 'a2', 'b']) {
        next.performer.finish(label);
        await settle();
      }
      assert.deepEqual(next.performer.begun, ['a1', 'a2', 'b']);
    });

    on('a run that had released its slot has none after a death', RUNS, async (world) => {
      const run = await world.engine.start(
        fakeSubmission([dance('a1')], [{ ask: 'may I?' }], [dance('a2')]),
      );
      await world.engine.start(fakeSubmission([dance('b')]));
      await settle();
      world.performer.finish('a1');
      await settle();
      await using next = await world.crash();
      await next.engine.signal(run, { kind: 'answer', key: 's1/0-1', answer: '' });
      await settle();
      assert.deepEqual(next.performer.labels(), ['b']);
      next.performer.finish('b');
      await settle();
      assert.deepEqual(next.performer.labels(), ['a2']);
      next.performer.finish('a2');
    });

    on('a run may have its own maximum, across a death too', RUNS, async (world) => {
      const own = (perform: string, max: number): FakeCommand => ({
        perform,
        limits: [{ key: 'x', max }],
      });
      for (const [label, max] of [
        ['a', 2],
        ['b', 2],
        ['c', 2],
        ['d', 1],
      ] as const)
        await world.engine.start(fakeSubmission([own(label, max)]));
      await settle();
      assert.deepEqual(world.performer.labels(), ['a', 'b']);
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.labels(), ['a', 'b']);
      next.performer.finish('a');
      await settle();
      assert.deepEqual(next.performer.labels(), ['b', 'c']);
      next.performer.finish('b');
      await settle();
      assert.deepEqual(next.performer.labels(), ['c'], 'd is to be alone');
      next.performer.finish('c');
      await settle();
      assert.deepEqual(next.performer.labels(), ['d']);
      next.performer.finish('d');
    });

    on(
      'is free again when the run is stopped between commands',
      RUNS,
      async ({ engine, ...world }) => {
        const { performer } = world;
        const run = await engine.start(fakeSubmission([dance('a')], [{ waitMs: 1000 }]));
        await engine.start(fakeSubmission([dance('b')]));
        await settle();
        performer.finish('a');
        await settle();
        await engine.signal(run, { kind: 'stop' });
        await settle();
        assert.deepEqual(performer.labels(), ['b']);
        performer.finish('b');
      },
    );
  });
}
