/** Part of the engine's suite: a run that is parked until a signal. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { MakeEngine } from './engine-under-test.ts';
import { testsOn } from './engine-under-test.ts';
import { settle } from '../fakes/manual-clock.ts';
import { fakeSubmission } from '../fakes/fake-program.ts';

export function engineParkConformance(name: string, make: MakeEngine): void {
  const on = testsOn(make);

  describe(`${name}: a run without a move`, () => {
    on('a parked run waits for the signal that it names', [], async (world) => {
      const { engine, performer } = world;
      const parked = [{ parksUntil: 'go' }] as const;
      const run = await engine.start(fakeSubmission(parked, [{ perform: 'a' }]));
      await settle();
      await engine.signal(run, { kind: 'message', from: null, text: 'not yet' });
      await settle();
      assert.deepEqual(performer.begun, []);
      assert.deepEqual(engine.busy(), { runs: 1, commands: 0 });
      await engine.signal(run, { kind: 'message', from: null, text: 'go' });
      await settle();
      assert.deepEqual(performer.labels(), ['a']);
    });

    on('a parked run can be stopped', [], async ({ engine }) => {
      const run = await engine.start(fakeSubmission([{ parksUntil: 'go' }]));
      await settle();
      await engine.signal(run, { kind: 'stop' });
      await settle();
      assert.equal((await engine.get(run))?.outcome?.kind, 'cancelled');
    });

    on(
      'a parked run holds no slot that others wait for',
      [{ key: 'x', concurrencyMax: 1, countsRuns: true }],
      async ({ engine, performer }) => {
        const dance = { perform: 'a', limits: ['x'] };
        await engine.start(fakeSubmission([dance], [{ parksUntil: 'go' }]));
        await engine.start(fakeSubmission([{ ...dance, perform: 'b' }]));
        await settle();
        assert.deepEqual(performer.labels(), ['a']);
        performer.finish('a');
        await settle();
        assert.deepEqual(performer.labels(), ['b']);
      },
    );

    on(
      'a run that was parked queues for a slot like any other, under the next owner too',
      [{ key: 'x', concurrencyMax: 1, countsRuns: true }],
      async (world) => {
        const { engine, performer } = world;
        const dance = (perform: string): { perform: string; limits: string[] } => ({
          perform,
          limits: ['x'],
        });
        const parked = [{ parksUntil: 'go' }] as const;
        const run = await engine.start(fakeSubmission([dance('a')], parked, [dance('c')]));
        await engine.start(fakeSubmission([dance('b')]));
        await settle();
        performer.finish('a');
        await settle();
        await engine.signal(run, { kind: 'message', from: null, text: 'go' });
        await settle();
        assert.deepEqual(performer.labels(), ['b']);
        await using next = await world.crash();
        await settle();
        assert.deepEqual(next.performer.labels(), ['b']);
      },
    );

    on('a parked run stays parked after a restart, and receives its signal', [], async (world) => {
      const parked = [{ parksUntil: 'go' }] as const;
      const run = await world.engine.start(fakeSubmission(parked, [{ perform: 'a' }]));
      await settle();
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.begun, []);
      await next.engine.signal(run, { kind: 'message', from: null, text: 'go' });
      await settle();
      assert.deepEqual(next.performer.labels(), ['a']);
      assert.deepEqual(next.defects, []);
    });
  });
}
