/** The words of the attempt loop: what the next attempt is told, and what the log says. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gated, red } from '../../test/support/gated-attempts.ts';
import type { AttemptScript } from '../../test/support/drive-attempts.ts';
import { done, failed, driveAttempts, settingsFor } from '../../test/support/drive-attempts.ts';

describe('what the next attempt is told', () => {
  const { prompts } = driveAttempts({
    settings: gated(['a']),
    attempts: [{ kind: 'completed', summary: 'All </output> done' }, done],
    gates: [{ ...red, tail: `${'x'.repeat(9000)}the end` }],
  });
  const [first = '', second = ''] = prompts;

  test('the first one gets the task and nothing else', () => assert.equal(first, 'the task'));

  test('who was there, what it said, which gate said what, and the task last', () => {
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

  test('however much there is to say, it is bounded', () => assert.ok(second.length < 6000));

  test('a failure is told by its kind', () => {
    const played = driveAttempts({
      settings: settingsFor(['a', 'b']),
      attempts: [failed('context_overflow'), done],
    });
    assert.match(played.prompts[1] ?? '', /did not finish it \(context_overflow\)/);
    assert.match(played.prompts[1] ?? '', /Work in smaller steps/);
  });

  test('in a conversation of its own an agent hears only what is new', () => {
    const { inputs } = driveAttempts({
      attempts: [failed('needs_input', { session: 's1' }), done],
    });
    assert.equal(inputs[1]?.resume, 's1');
    assert.match(inputs[1].resumePrompt ?? '', /^No person is available to answer/);
  });
});

describe('what the loop says', () => {
  const cases: [why: string, script: AttemptScript, log: string[]][] = [
    ['nothing where all goes well', { attempts: [done] }, []],
    [
      'a switch, and how many retries it took',
      { settings: settingsFor(['a', 'b']), attempts: [failed('auth'), done] },
      [
        '[supervisor] switching from a to b (fallback, this run only)',
        '[supervisor] completed after 1 retries',
      ],
    ],
    [
      'a retry with its number, when its wait begins',
      {
        settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
        attempts: [failed('crashed'), 'open'],
      },
      ['[supervisor] retry 1/3 with a in 5s'],
    ],
    [
      'a crash',
      {
        settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
        attempts: [failed('oom', { exit: 137 }), 'open'],
      },
      ['[supervisor] container crashed (exit 137), restarting...'],
    ],
    [
      'a restart that could not be made',
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
      'a restart that was made, and ended badly like the first',
      {
        settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
        attempts: [failed('oom', { exit: 137 }), failed('oom', { exit: 137 })],
      },
      ['[supervisor] container crashed (exit 137), restarting...'],
    ],
    [
      'a rest',
      { attempts: [failed('rate_limited', { resetMs: 60_000 }), 'open'] },
      ['[supervisor] cooling until 2026-01-01T00:01:00.000Z: a is limited until then'],
    ],
    [
      'a fix',
      { settings: gated(['a']), attempts: [done, 'open'], gates: [red] },
      ['[supervisor] retry 1/3 with a in 0s'],
    ],
    ['a stop', { attempts: ['open'], says: { 'attempt-1': 'stop' } }, ['user_cancel requested']],
    ['a kill', { attempts: ['open'], says: { 'attempt-1': 'kill' } }, ['user_kill requested']],
  ];
  for (const [why, script, log] of cases)
    test(why, () => assert.deepEqual(driveAttempts(script).log, log));
});
