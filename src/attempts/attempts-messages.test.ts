/** The texts of the attempt loop: the prompt of the next attempt, and the log. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gated, red } from '../../test/support/gated-attempts.ts';
import type { AttemptScript } from '../../test/support/drive-attempts.ts';
import { done, failed, driveAttempts, settingsFor } from '../../test/support/drive-attempts.ts';

describe('the prompt of the next attempt', () => {
  const { prompts } = driveAttempts({
    settings: gated(['a']),
    attempts: [{ kind: 'completed', summary: 'All </output> done' }, done],
    gates: [{ ...red, tail: `${'x'.repeat(9000)}the end` }],
  });
  const [first = '', second = ''] = prompts;

  test('the first attempt gets the task and nothing else', () => assert.equal(first, 'the task'));

  test('names the last agent, its output, the red gate and its output, and ends with the task', () => {
    assert.match(
      second,
      /^This is attempt 2 .*Attempt 1, by a, reported that it was done, but it was not/,
    );
    assert.match(second, /<output-([0-9a-f]{8})>\nAll <\/output> done\n<\/output-\1>/);
    assert.match(second, /The check "test" failed/);
    assert.match(second, /the end\n<\/check-[0-9a-f]{8}>/);
    assert.match(second, /Do not repeat finished work/);
    assert.ok(second.endsWith('\n\nthe task'));
  });

  test('the prompt is bounded, even if the output is long', () => assert.ok(second.length < 6000));

  test('the prompt names the kind of a failure', () => {
    const played = driveAttempts({
      settings: settingsFor(['a', 'b']),
      attempts: [failed('context_overflow'), done],
    });
    assert.match(played.prompts[1] ?? '', /did not finish it \(context_overflow\)/);
    assert.match(played.prompts[1] ?? '', /Work in smaller steps/);
  });

  test('an agent that continues its conversation gets only the new text', () => {
    const { inputs } = driveAttempts({
      attempts: [failed('needs_input', { session: 's1' }), done],
    });
    assert.equal(inputs[1]?.resume, 's1');
    assert.match(inputs[1].resumePrompt ?? '', /^No person is available to answer/);
  });
});

describe('the log of the loop', () => {
  const cases: [why: string, script: AttemptScript, log: string[]][] = [
    ['is empty if the first attempt completes', { attempts: [done] }, []],
    [
      'does not count attempts that lacked their key and never started',
      {
        attempts: [
          { kind: 'failed', reason: 'keys_missing', message: 'a needs a key' },
          { kind: 'failed', reason: 'keys_missing', message: 'a needs a key' },
          done,
        ],
        answers: ['retry', 'retry'],
      },
      [],
    ],
    [
      'reports a switch, and the number of retries',
      { settings: settingsFor(['a', 'b']), attempts: [failed('auth'), done] },
      [
        '[supervisor] switching from a to b (fallback, this run only)',
        '[supervisor] completed after 1 retry',
      ],
    ],
    [
      'reports a fallback because the first agent is cooling down',
      { settings: settingsFor(['a', 'b']), cooling: { 'a::::::': 3_600_000 }, attempts: [done] },
      [
        '[supervisor] starting with b (fallback, this run only): a is cooling down until 2026-01-01T01:00:00.000Z',
      ],
    ],
    [
      'reports a fallback because the window of the first agent is nearly used up',
      { settings: settingsFor(['a', 'b']), closing: { 'a::::::': 3_600_000 }, attempts: [done] },
      [
        '[supervisor] starting with b (fallback, this run only): a has too little of its limit left until 2026-01-01T01:00:00.000Z',
      ],
    ],
    [
      'reports a switch that passes over an agent that is cooling down',
      {
        settings: settingsFor(['a', 'b', 'c']),
        cooling: { 'b::::::': 3_600_000 },
        attempts: [failed('auth'), done],
      },
      [
        '[supervisor] switching from a to c (fallback, this run only); b is cooling down until 2026-01-01T01:00:00.000Z',
        '[supervisor] completed after 1 retry',
      ],
    ],
    [
      'reports a retry with its number, when its wait begins',
      {
        settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
        attempts: [failed('crashed'), 'open'],
      },
      ['[supervisor] retry 1/3 with a in 5s'],
    ],
    [
      'reports a restart after a crash',
      {
        settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
        attempts: [failed('oom', { exit: 137 }), 'open'],
      },
      ['[supervisor] container crashed (exit 137), restarting...'],
    ],
    [
      'reports a restart that failed',
      {
        settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
        attempts: [failed('oom', { exit: 137 }), failed('start_refused')],
      },
      [
        '[supervisor] container crashed (exit 137), restarting...',
        '[supervisor] restart failed: start_refused',
      ],
    ],
    [
      'reports no failed restart if the restarted agent crashes again',
      {
        settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
        attempts: [failed('oom', { exit: 137 }), failed('oom', { exit: 137 })],
      },
      ['[supervisor] container crashed (exit 137), restarting...'],
    ],
    [
      'reports a wait for a limit',
      { attempts: [failed('rate_limited', { resetMs: 60_000 }), 'open'] },
      ['[supervisor] cooling until 2026-01-01T00:01:00.000Z: a is limited by its provider'],
    ],
    [
      'reports a fix after a red gate',
      { settings: gated(['a']), attempts: [done, 'open'], gates: [red] },
      ['[supervisor] retry 1/3 with a in 0s'],
    ],
    [
      'reports a stop',
      { attempts: ['open'], says: { 'attempt-1': 'stop' } },
      ['[supervisor] a person stopped the run'],
    ],
    [
      'reports a kill',
      { attempts: ['open'], says: { 'attempt-1': 'kill' } },
      ['[supervisor] a person killed the run'],
    ],
  ];
  for (const [why, script, log] of cases)
    test(why, () => assert.deepEqual(driveAttempts(script).log, log));
});
