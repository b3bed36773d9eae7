import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock, settle } from '../../testing/fakes/manual-clock.ts';
import { simpleError } from '../../public-json/error-document.ts';
import type { RunConclusion, RunResult } from '../../public-json/run-result.ts';
import { concludedResult, Conclusions } from './conclusions.ts';

const CONCLUSION: RunConclusion = { exit_code: 0, error: null, apply_error: null };
const CONFLICT = simpleError('workspace.conflict', 'Both changed it.', null);

describe('the conclusion of a run', () => {
  test('is there at once if the command was faster than the notification, and is used once', async () => {
    const clock = new ManualClock();
    const conclusions = new Conclusions(clock);
    conclusions.give('a', CONCLUSION);
    const { signal } = new AbortController();
    assert.deepEqual(await conclusions.wait('a', clock.now(), signal), CONCLUSION);
    const again = conclusions.wait('a', clock.now(), signal);
    await clock.advance(120_000);
    assert.equal(await again, null);
  });

  test('is waited for until it arrives, and that of another run is not taken for it', async () => {
    const clock = new ManualClock();
    const conclusions = new Conclusions(clock);
    const waiting = conclusions.wait('a', clock.now(), new AbortController().signal);
    conclusions.give('b', { ...CONCLUSION, exit_code: 1 });
    await settle();
    conclusions.give('a', CONCLUSION);
    assert.deepEqual(await waiting, CONCLUSION);
  });

  test('is not waited for if the run ended long ago, or after the owner closes', async () => {
    const clock = new ManualClock();
    const conclusions = new Conclusions(clock);
    const closing = new AbortController();
    assert.equal(await conclusions.wait('a', clock.now() - 120_000, closing.signal), null);
    const waiting = conclusions.wait('b', clock.now(), closing.signal);
    closing.abort();
    assert.equal(await waiting, null);
  });
});

describe('the result in a notification', () => {
  const result = { run_id: 'r', exit_code: 0, error: null, applied: null, apply_error: null };
  const applied = { target: 'files' };
  const failed = simpleError('gate.failed', 'It is red.', null);
  type Fields = Readonly<Record<string, unknown>>;
  const cases: [why: string, given: Fields, RunConclusion | null, expected: Fields][] = [
    ['is that of the run after an apply', { applied }, CONCLUSION, { exit_code: 0, error: null }],
    [
      'says that the apply failed',
      {},
      { exit_code: 1, error: CONFLICT, apply_error: CONFLICT },
      { exit_code: 1, error: CONFLICT, apply_error: CONFLICT },
    ],
    [
      'keeps the reason of a run that failed by itself',
      { exit_code: 3, error: failed },
      { exit_code: 3, error: CONFLICT, apply_error: CONFLICT },
      { exit_code: 3, error: failed, apply_error: CONFLICT },
    ],
    ['without a word keeps a failure', { exit_code: 1, error: failed }, null, { exit_code: 1 }],
    ['without a word knows a finished apply', { applied }, null, { exit_code: 0 }],
  ];
  for (const [why, given, conclusion, expected] of cases)
    test(why, () => {
      const before = { ...result, ...given } as unknown as RunResult;
      assert.partialDeepStrictEqual(concludedResult(before, conclusion), expected);
    });

  test('without a word does not claim that the command succeeded', () => {
    const { exit_code: code, apply_error: error } = concludedResult(
      result as unknown as RunResult,
      null,
    );
    assert.deepEqual([code, error?.code], [null, 'command.interrupted']);
  });
});
