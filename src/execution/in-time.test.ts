import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { AFTER_KILL_MS, AFTER_STOP_MS, withDeadline } from './in-time.ts';

describe('M5: work after the end of an agent', () => {
  const cases: [word: 'cancel' | 'kill', afterMs: number][] = [
    ['cancel', AFTER_STOP_MS],
    ['kill', AFTER_KILL_MS],
  ];
  for (const [word, afterMs] of cases)
    test(`is called off ${afterMs} ms after a person's ${word}`, async () => {
      const clock = new ManualClock();
      const controllers = { cancel: new AbortController(), kill: new AbortController() };
      const { promise, resolve } = Promise.withResolvers<AbortSignal>();
      const work = withDeadline(
        (late) => {
          resolve(late);
          return new Promise((end) => late.addEventListener('abort', () => end('called off')));
        },
        { cancelSignal: controllers.cancel.signal, killSignal: controllers.kill.signal },
        clock,
      );
      const late = await promise;
      controllers[word].abort();
      await eventually('it waits', () => clock.sleeping > 0);
      await clock.advance(afterMs - 1);
      assert.equal(late.aborted, false);
      await clock.advance(1);
      assert.equal(await work, 'called off');
      await eventually('nothing is left to wait for', () => clock.sleeping === 0);
    });

  test('that is done in time leaves nothing behind', async () => {
    const clock = new ManualClock();
    const signals = { cancelSignal: AbortSignal.abort(), killSignal: AbortSignal.abort() };
    assert.equal(await withDeadline(async () => 'done', signals, clock), 'done');
    await eventually('nothing is left to wait for', () => clock.sleeping === 0);
  });
});
