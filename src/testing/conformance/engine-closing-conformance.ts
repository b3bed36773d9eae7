/** Part of the engine's suite: the owner closes. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { MakeEngine } from './engine-under-test.ts';
import { engineStory, testsOn } from './engine-under-test.ts';
import { settle } from '../fakes/manual-clock.ts';
import { fakeSubmission } from '../fakes/fake-program.ts';

const isClosed = (error: unknown): boolean => isRefusal(error, 'store.closed');

export function engineClosingConformance(name: string, make: MakeEngine): void {
  const on = testsOn(make);

  describe(`${name}: the owner closes`, () => {
    on(
      'cancels running commands, and the next owner sees them as interrupted',
      [],
      async (world) => {
        const run = await world.engine.start(fakeSubmission([{ perform: 'deaf' }]));
        await settle();
        await world.engine.close();
        assert.deepEqual(world.performer.labels(), []);
        await using next = await world.crash();
        await settle();
        assert.deepEqual((await engineStory(next.engine, run)).slice(1), [
          'begun s0/0-1',
          'interrupted s0/0-1',
          'begun s0/0-2',
        ]);
      },
    );

    on('does not perform a command that begins at that moment', [], async (world) => {
      const { engine, performer } = world;
      await engine.start(fakeSubmission([{ perform: 'a' }])); // its begun is being written
      await engine.close();
      await settle();
      assert.deepEqual(performer.labels(), []);
      assert.deepEqual(world.clock.sleeping, 0);
    });

    on('a note after that resolves and is not written', [], async (world) => {
      const { engine, performer } = world;
      const run = await engine.start(fakeSubmission([{ perform: 'a' }]));
      await settle();
      const context = performer.going[0]?.context;
      context?.killSignal.addEventListener('abort', () => void context.note({ last: 'words' }));
      await engine.close();
      await context?.note({ too: 'late' });
      assert.equal((await engine.get(run))?.seq, 2);
    });

    on('a note of an ended command is not written', [], async ({ engine, performer }) => {
      const run = await engine.start(fakeSubmission([{ perform: 'a' }]));
      await settle();
      const context = performer.going[0]?.context;
      performer.finish('a');
      await settle();
      await context?.note({ too: 'late' });
      assert.equal((await engineStory(engine, run)).at(-1), 'ended succeeded');
      assert.equal((await engine.get(run))?.seq, 4);
    });

    on('a signal that was being sent is refused, unless it is recorded', [], async (world) => {
      const run = await world.engine.start(fakeSubmission([{ ask: '?' }]));
      await settle();
      const signalled = world.engine.signal(run, { kind: 'stop' });
      const [, taken] = await Promise.allSettled([world.engine.close(), signalled]);
      await using next = await world.crash();
      const isOnRecord = (await engineStory(next.engine, run)).includes('signal stop');
      assert.equal(taken.status === 'fulfilled', isOnRecord);
      if (taken.status === 'rejected') assert.ok(isClosed(taken.reason), String(taken.reason));
    });

    on('refuses every later request', [], async ({ engine }) => {
      const run = await engine.start(fakeSubmission([{ ask: '?' }]));
      await settle();
      await engine.close();
      await assert.rejects(engine.start(fakeSubmission([{ ask: '?' }])), isClosed);
      await assert.rejects(engine.fork(run, 1), isClosed);
      await assert.rejects(engine.signal(run, { kind: 'stop' }), isClosed);
      assert.equal((await engine.list({ limit: 9 })).length, 1);
    });
  });
}
