/** Part of the engine's suite: broken programs and full disks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { Limit } from '../../engine/limits.ts';
import type { EngineUnderTest, MakeEngine } from './engine-under-test.ts';
import { engineStory } from './engine-under-test.ts';
import { settle } from '../fakes/manual-clock.ts';
import type { FakeProgramFault } from '../fakes/fake-program.ts';
import { fakeSubmission } from '../fakes/fake-program.ts';

const ONE: readonly Limit[] = [{ key: 'x', concurrencyMax: 1 }];
const SECOND = 1000;

const isFull = (error: unknown): boolean => isRefusal(error, 'store.full');

export function engineHardshipConformance(name: string, make: MakeEngine): void {
  const on = (why: string, body: (world: EngineUnderTest) => Promise<void>): void => {
    test(why, async () => {
      await using world = await make(ONE);
      await body(world);
    });
  };

  describe(`${name}: a broken program`, () => {
    const cases: [fault: FakeProgramFault, expectedText: RegExp][] = [
      ['throw-in-next', /trips in next/],
      ['throw-in-fold', /trips in fold/],
      ['finish-while-open', /while something is open/],
      ['decide-without-end', /is in a livelock/],
      ['wait-in-circles', /is in a livelock/],
      ['perform-in-circles', /is in a livelock/],
      ['say-nothing', /without a move, an open command or an end/],
    ];
    for (const [fault, expectedText] of cases) {
      on(`${fault}: its run is halted and reported, other runs continue`, async (world) => {
        const { engine, performer, defects } = world;
        const open = fault === 'finish-while-open' ? [{ ask: '?' }] : [];
        const first = { perform: 'a', limits: ['x'] };
        const broken = await engine.start(fakeSubmission([first], [...open, { fault }]));
        const other = await engine.start(fakeSubmission([{ perform: 'b', limits: ['x'] }]));
        await settle();
        performer.finish('a');
        await settle(40);
        performer.finish('b');
        await settle();
        assert.equal((await engine.get(other))?.outcome?.kind, 'succeeded');
        assert.equal((await engine.get(broken))?.outcome, null);
        assert.equal(defects.length, 1);
        assert.match(String(defects[0]), expectedText);
        assert.match(String(defects[0]), new RegExp(broken));
        assert.deepEqual(engine.busy(), { runs: 0, commands: 0 });
        // Only a driven run can receive this signal.
        await assert.rejects(engine.signal(broken, { kind: 'pause' }), /is halted by a defect/);
        await engine.signal(broken, { kind: 'stop' });
        const view = await engine.get(broken);
        assert.deepEqual([view?.outcome?.kind, view?.open], ['cancelled', []]);
        await assert.rejects(engine.signal(broken, { kind: 'kill' }), (error) =>
          isRefusal(error, 'run.already-ended'),
        );
      });
    }

    on('running commands are cancelled, and their slots are free', async (world) => {
      const { engine, performer, defects } = world;
      await engine.start(fakeSubmission([{ perform: 'a', limits: ['x'] }, { perform: 'deaf' }]));
      await engine.start(fakeSubmission([{ perform: 'b', limits: ['x'] }]));
      await settle();
      assert.deepEqual(performer.labels(), ['a', 'deaf']);
      await performer.going[0]?.context.note({ trip: true });
      await settle();
      assert.deepEqual([performer.labels(), defects.length], [['b'], 1]);
      assert.deepEqual(engine.busy(), { runs: 1, commands: 1 });
    });

    on('a slot that was admitted and never used is free again', async (world) => {
      const { engine, performer } = world;
      const fault = 'finish-while-open';
      await engine.start(fakeSubmission([{ perform: 'a', limits: ['x'] }, { fault }]));
      await engine.start(fakeSubmission([{ perform: 'b', limits: ['x'] }]));
      await settle();
      assert.deepEqual(performer.begun, ['b']);
    });

    on('a submission that its program rejects is never written', async ({ engine }) => {
      const submission = { ...fakeSubmission(), program: 'nobody' } as unknown as Submission;
      await assert.rejects(engine.start(submission), (error) =>
        isRefusal(error, 'request.invalid'),
      );
      assert.deepEqual(await engine.list({ limit: 9 }), []);
    });
  });

  describe(`${name}: a full disk`, () => {
    on('blocks the run; it continues when there is space, and nothing is lost', async (world) => {
      const { engine, performer, clock, fill } = world;
      // Eight stages pass more than one snapshot.
      const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const run = await engine.start(
        fakeSubmission(...labels.map((perform) => [{ perform, limits: ['x'] }])),
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
      assert.equal((await engineStory(engine, run)).length, 2 + 2 * labels.length);
      assert.equal((await engine.get(run))?.outcome?.kind, 'succeeded');
      assert.deepEqual(world.defects, []);
    });

    on('refuses a signal at once instead of making its sender wait', async (world) => {
      const { engine, performer, clock, fill } = world;
      const run = await engine.start(fakeSubmission([{ perform: 'a' }], [{ perform: 'b' }]));
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
      assert.deepEqual((await engineStory(engine, run)).slice(2), [
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
      const run = await world.engine.start(fakeSubmission([{ perform: 'a' }]));
      await settle();
      world.fill(true);
      await using next = await world.crash();
      await settle();
      assert.deepEqual(next.performer.begun, []);
      next.fill(false);
      await next.clock.advance(SECOND);
      assert.deepEqual(next.performer.labels(), ['a']);
      assert.equal((await next.engine.get(run))?.interrupted, 1);
    });

    on('does not keep the owner from closing', async (world) => {
      const { engine, performer, fill } = world;
      await engine.start(fakeSubmission([{ perform: 'a' }]));
      await settle();
      fill(true);
      performer.finish('a');
      await settle();
      await engine.close();
      assert.deepEqual(world.defects, []);
    });
  });
}
