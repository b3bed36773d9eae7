/**
 * The suite that every engine passes. An engine is trusted when it passes unchanged; `make`
 * combines it with the fake program and performer on a manual clock.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { isRefusal } from '../../base/errors.ts';
import { settle } from '../fakes/manual-clock.ts';
import { fakeSubmission } from '../fakes/fake-program.ts';
import { engineRunLimitsConformance } from './engine-run-limits-conformance.ts';
import { engineChildRecoveryConformance } from './engine-child-recovery-conformance.ts';
import { engineChildrenConformance } from './engine-children-conformance.ts';
import { engineClosingConformance } from './engine-closing-conformance.ts';
import { engineCornersConformance } from './engine-corners-conformance.ts';
import { engineHardshipConformance } from './engine-hardship-conformance.ts';
import { engineRecoveryConformance } from './engine-recovery-conformance.ts';
import { engineParkConformance } from './engine-park-conformance.ts';
import type { MakeEngine } from './engine-under-test.ts';
import { engineStory, testsOn } from './engine-under-test.ts';

export function engineConformance(name: string, make: MakeEngine): void {
  const on = testsOn(make);

  describe(`${name}: a run`, () => {
    on('performs its stages in order and ends once', [], async ({ engine, performer }) => {
      const run = await engine.start(fakeSubmission([{ perform: 'a' }], [{ perform: 'b' }]));
      await settle();
      assert.deepEqual(performer.labels(), ['a']);
      performer.finish('a');
      await settle();
      performer.finish('b');
      await settle();
      assert.deepEqual(await engineStory(engine, run), [
        'submitted',
        'begun s0/0-1',
        'done s0/0-1',
        'begun s1/0-1',
        'done s1/0-1',
        'ended succeeded',
      ]);
      assert.deepEqual(engine.busy(), { runs: 0, commands: 0 });
    });

    on('has begun on record before anything is performed', [], async ({ engine, performer }) => {
      const run = await engine.start(fakeSubmission([{ perform: 'a' }]));
      await settle();
      assert.deepEqual(
        (await engine.get(run))?.open.map(({ key }) => key),
        ['s0/0-1'],
      );
      assert.deepEqual(performer.labels(), ['a']);
    });

    on('performs the commands of one stage side by side', [], async ({ engine, performer }) => {
      const run = await engine.start(
        fakeSubmission([{ perform: 'a' }, { perform: 'b' }], [{ perform: 'c' }]),
      );
      await settle();
      assert.deepEqual(performer.labels(), ['a', 'b']);
      performer.finish('b');
      performer.finish('a');
      await settle();
      assert.deepEqual(performer.labels(), ['c']);
      performer.finish('c');
      await settle();
      assert.equal((await engine.get(run))?.outcome?.kind, 'succeeded');
    });

    on('records the notes of a performer', [], async ({ engine, performer }) => {
      const run = await engine.start(fakeSubmission([{ perform: 'a' }]));
      await settle();
      await performer.going[0]?.context.note({ session: 'x' });
      performer.finish('a');
      await settle();
      assert.ok((await engineStory(engine, run)).includes('noted s0/0-1'));
    });

    on(
      "records a performer's throw as an end, not as a crash",
      [],
      async ({ engine, performer }) => {
        const run = await engine.start(fakeSubmission([{ perform: 'a' }]));
        await settle();
        performer.going[0]?.fail(new Error('broken leg'));
        await settle();
        assert.ok((await engineStory(engine, run)).includes('defect s0/0-1'));
      },
    );

    on(
      'records a command without a performer as a defect of that command',
      [],
      async ({ engine }) => {
        const run = await engine.start(fakeSubmission([{ perform: 'a', command: 'fly' }]));
        await settle();
        assert.deepEqual(await engineStory(engine, run), [
          'submitted',
          'begun s0/0-1',
          'defect s0/0-1',
          'ended succeeded',
        ]);
      },
    );
  });

  describe(`${name}: time and people`, () => {
    on('a wait ends when its time has come, not before', [], async ({ engine, clock }) => {
      const run = await engine.start(fakeSubmission([{ waitMs: 1000 }]));
      await clock.advance(999);
      assert.equal((await engine.get(run))?.outcome, null);
      await clock.advance(1);
      assert.equal((await engine.get(run))?.outcome?.kind, 'succeeded');
    });

    on('retry-now ends a wait at once', [], async ({ engine }) => {
      const run = await engine.start(fakeSubmission([{ waitMs: 1_000_000 }]));
      await settle();
      await engine.signal(run, { kind: 'retry-now' });
      await settle();
      assert.equal((await engine.get(run))?.outcome?.kind, 'succeeded');
    });

    on('a question waits for its answer, and only for its own', [], async ({ engine }) => {
      const run = await engine.start(fakeSubmission([{ ask: 'may I?' }]));
      await settle();
      const wrong = engine.signal(run, { kind: 'answer', key: 's9/0-1', answer: 'yes' });
      await assert.rejects(wrong, (error) => isRefusal(error, 'run.asks-nothing'));
      await engine.signal(run, { kind: 'answer', key: 's0/0-1', answer: 'yes' });
      await settle();
      assert.equal((await engine.get(run))?.outcome?.kind, 'succeeded');
    });

    on(
      'a question with a time limit ends by itself, and an answer comes too late then',
      [],
      async ({ engine, clock }) => {
        const run = await engine.start(fakeSubmission([{ ask: '?', withinMs: 1000 }]));
        await settle();
        await engine.signal(run, { kind: 'retry-now' }); // it skips waits, and this is none
        await clock.advance(999);
        assert.equal((await engine.get(run))?.outcome, null);
        await clock.advance(1);
        assert.deepEqual((await engineStory(engine, run)).slice(1), [
          ...['begun s0/0-1', 'signal retry-now', 'done s0/0-1', 'ended succeeded'],
        ]);
        const late = engine.signal(run, { kind: 'answer', key: 's0/0-1', answer: 'yes' });
        await assert.rejects(late, (error) => isRefusal(error, 'run.already-ended'));
      },
    );

    on('the answer in time stands, and the time limit adds nothing', [], async (world) => {
      const { engine, clock } = world;
      const asks = [{ ask: '?', withinMs: 1000 }, { waitMs: 5000 }];
      const run = await engine.start(fakeSubmission(asks));
      await settle();
      await engine.signal(run, { kind: 'answer', key: 's0/0-1', answer: 'yes' });
      await clock.advance(5000);
      assert.deepEqual((await engineStory(engine, run)).slice(3), [
        ...['signal answer', 'done s0/0-1', 'done s0/1-1', 'ended succeeded'],
      ]);
    });

    on(
      'a stop cancels open commands and nothing more begins',
      [],
      async ({ engine, performer }) => {
        const run = await engine.start(
          fakeSubmission([{ perform: 'a' }, { waitMs: 5 }, { ask: '?' }], [{ perform: 'b' }]),
        );
        await settle();
        await engine.signal(run, { kind: 'stop' });
        await settle();
        assert.deepEqual(performer.begun, ['a']);
        assert.equal((await engine.get(run))?.outcome?.kind, 'cancelled');
      },
    );

    on('a kill reaches a performer that ignores a stop', [], async ({ engine, performer }) => {
      const run = await engine.start(fakeSubmission([{ perform: 'deaf' }]));
      await settle();
      await engine.signal(run, { kind: 'stop' });
      await settle();
      assert.deepEqual(performer.labels(), ['deaf']);
      await engine.signal(run, { kind: 'kill' });
      await settle();
      assert.deepEqual((await engineStory(engine, run)).slice(2), [
        'signal stop',
        'ask s0/0-1',
        'signal kill',
        'kill s0/0-1',
        'done s0/0-1',
        'ended cancelled',
      ]);
    });

    on(
      'a paused run begins and ends nothing until it is unpaused',
      [],
      async ({ engine, performer }) => {
        const run = await engine.start(fakeSubmission([{ perform: 'a' }], [{ perform: 'b' }]));
        await settle();
        await engine.signal(run, { kind: 'pause' });
        performer.finish('a');
        await settle();
        assert.deepEqual(performer.begun, ['a']);
        assert.equal((await engine.get(run))?.outcome, null);
        await engine.signal(run, { kind: 'unpause' });
        await settle();
        assert.deepEqual(performer.labels(), ['b']);
        await engine.signal(run, { kind: 'pause' });
        performer.finish('b');
        await settle();
        assert.equal((await engine.get(run))?.outcome, null);
        await engine.signal(run, { kind: 'unpause' });
        await settle();
        assert.equal((await engine.get(run))?.outcome?.kind, 'succeeded');
      },
    );

    on('a stop outranks a pause', [], async ({ engine, performer }) => {
      const run = await engine.start(fakeSubmission([{ perform: 'a' }], [{ perform: 'b' }]));
      await settle();
      await engine.signal(run, { kind: 'pause' });
      await engine.signal(run, { kind: 'stop' });
      await settle();
      assert.deepEqual(performer.begun, ['a']);
      assert.equal((await engine.get(run))?.outcome?.kind, 'cancelled');
    });

    on('a signal to an ended or unknown run is refused', [], async ({ engine, clock }) => {
      const run = await engine.start(fakeSubmission([{ waitMs: 1 }]));
      await clock.advance(1);
      await assert.rejects(engine.signal(run, { kind: 'stop' }), (e) =>
        isRefusal(e, 'run.already-ended'),
      );
      const nobody = engine.signal('0000000000' as RunId, { kind: 'stop' });
      await assert.rejects(nobody, (e) => isRefusal(e, 'run.not-found'));
    });
  });

  engineRunLimitsConformance(name, make);
  engineParkConformance(name, make);
  engineRecoveryConformance(name, make);
  engineHardshipConformance(name, make);
  engineClosingConformance(name, make);
  engineCornersConformance(name, make);
  engineChildrenConformance(name, make);
  engineChildRecoveryConformance(name, make);
}
