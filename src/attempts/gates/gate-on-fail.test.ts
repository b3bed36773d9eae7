/** What a red gate does with its run: `on_fail`, `severity` and `depends_on`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, driveAttempts } from '../../../test/support/drive-attempts.ts';
import { drivenTable } from '../../../test/support/driven-table.ts';
import { gated, green, red } from '../../../test/support/gated-attempts.ts';
import { blockedGate } from './gate-outcome.ts';
import type { PinnedGate } from '../../protocol/pinned-settings.ts';

const FIRST: PinnedGate = { name: 'test', command: ['npm', 'test'], timeoutMs: 1000 };
const SECOND: PinnedGate = { name: 'lint', command: ['npm', 'run', 'lint'], timeoutMs: 1000 };
const ASKS = gated(['a'], { gates: [{ ...FIRST, asks: true }] });
const ASKS_OF_TWO = gated(['a'], { gates: [{ ...FIRST, asks: true }, SECOND] });
const QUESTION =
  'asks: gate test failed: 1 test is red. Answer retry to let the agent fix it, accept to take the work as it is, or stop to end the run.';
const ACCEPTED = 'unverified: done';

drivenTable('a red gate that asks', [
  [
    'puts the question to a person',
    { settings: ASKS, attempts: [done], gates: [red] },
    ['looks', 'a', 'gate test', QUESTION],
  ],
  [
    'lets the agent fix it after retry',
    { settings: ASKS, attempts: [done, done], gates: [red], answers: ['retry'] },
    ['looks', 'a', 'gate test', QUESTION, 'a at 1 s', 'gate test', 'succeeded: done'],
  ],
  [
    'asks about every red result',
    { settings: ASKS, attempts: [done, done], gates: [red, red], answers: [' Retry'] },
    ['looks', 'a', 'gate test', QUESTION, 'a at 1 s', 'gate test', QUESTION],
  ],
  [
    'asks again if the answer means nothing',
    { settings: ASKS, attempts: [done], gates: [red], answers: ['why not'] },
    ['looks', 'a', 'gate test', QUESTION, QUESTION],
  ],
  [
    'ends the run after stop',
    { settings: ASKS, attempts: [done], gates: [red], answers: ['stop'] },
    [
      ...['looks', 'a', 'gate test', QUESTION],
      'failed: gate test failed: 1 test is red; you stopped the run',
    ],
  ],
  [
    'proves nothing after accept',
    { settings: ASKS, attempts: [done], gates: [red], answers: ['accept'] },
    ['looks', 'a', 'gate test', QUESTION, ACCEPTED],
  ],
  [
    'lets the other gates run after accept, which do not prove the work',
    { settings: ASKS_OF_TWO, attempts: [done], gates: [red, green], answers: ['accept'] },
    ['looks', 'a', 'gate test', QUESTION, 'gate lint', ACCEPTED],
  ],
  [
    'is not accepted for the next attempt too',
    {
      settings: ASKS_OF_TWO,
      attempts: [done, done],
      gates: [red, { ...red, name: 'lint' }, red],
      answers: ['accept'],
    },
    ['looks', 'a', 'gate test', QUESTION, 'gate lint', 'a at 1 s', 'gate test', QUESTION],
  ],
  [
    'ends the run if it may not ask',
    {
      settings: { ...ASKS, recovery: { ...ASKS.recovery, ask: false } },
      attempts: [done],
      gates: [red],
    },
    [
      ...['looks', 'a', 'gate test'],
      'blocked: gate test failed: 1 test is red. The run ends here, because it may not ask (--no-ask)',
    ],
  ],
  [
    'gives way to the next agent if the user skips this one',
    {
      settings: gated(['a', 'b'], { gates: [{ ...FIRST, asks: true }] }),
      attempts: [done, done],
      gates: [red],
      says: { 'ask-1': 'next' },
    },
    [
      'looks',
      'a',
      'gate test',
      QUESTION,
      'asks ask-1',
      'looks',
      'b at 1 s',
      'gate test',
      'succeeded: done',
    ],
  ],
]);

drivenTable('a gate that protects files', [
  [
    'ends the run as blocked if the work changes one, even if it only warns',
    {
      settings: gated(['a'], { gates: [{ ...FIRST, warns: true }] }),
      attempts: [done],
      gates: [blockedGate('test', {}, ['.github/workflows/ci.yml'])],
    },
    [
      ...['looks', 'a', 'gate test'],
      'blocked: gate test failed: the work changes protected files: .github/workflows/ci.yml',
    ],
  ],
]);

const DEPENDENT: PinnedGate = { ...SECOND, dependsOn: ['test'] };
const WARNING: PinnedGate = { ...FIRST, warns: true };
const THIRD: PinnedGate = { ...SECOND, name: 'types', dependsOn: ['lint'], warns: true };

drivenTable('a gate that depends on another', [
  [
    'runs if the other one is green',
    { settings: gated(['a'], { gates: [WARNING, DEPENDENT] }), attempts: [done] },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'is skipped if the other one is red, and is red itself',
    {
      settings: gated(['a'], { gates: [WARNING, DEPENDENT], once: true }),
      attempts: [done],
      gates: [red],
    },
    [
      ...['looks', 'a', 'gate test', 'gate lint is skipped'],
      'failed: gate lint was skipped, because gate test is red: 1 test is red',
    ],
  ],
  [
    'runs although the other one is red, if it is not to be skipped for that',
    {
      settings: gated(['a'], { gates: [WARNING, { ...DEPENDENT, runsAfterRed: true }] }),
      attempts: [done],
      gates: [red],
    },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'runs again when the agent has fixed the other one',
    {
      settings: gated(['a'], { gates: [WARNING, DEPENDENT] }),
      attempts: [done, done],
      gates: [red],
    },
    [
      ...['looks', 'a', 'gate test', 'gate lint is skipped', 'a at 1 s', 'gate test', 'gate lint'],
      'succeeded: done',
    ],
  ],
  [
    'is skipped if the other one was skipped itself',
    {
      settings: gated(['a'], { gates: [WARNING, { ...DEPENDENT, warns: true }, THIRD] }),
      attempts: [done],
      gates: [red],
    },
    [
      'looks',
      'a',
      'gate test',
      'gate lint is skipped',
      'gate types is skipped',
      'unverified: done',
    ],
  ],
  [
    'is skipped if the other one is red and a person accepts that',
    {
      settings: gated(['a'], {
        gates: [
          { ...FIRST, asks: true },
          { ...DEPENDENT, warns: true },
        ],
      }),
      attempts: [done],
      gates: [red],
      answers: ['accept'],
    },
    ['looks', 'a', 'gate test', QUESTION, 'gate lint is skipped', ACCEPTED],
  ],
]);

test('the agent reads what made the other gate red', () => {
  const settings = gated(['a'], { gates: [WARNING, DEPENDENT] });
  const { prompts } = driveAttempts({ settings, attempts: [done, 'open'], gates: [red] });
  const [, prompt = ''] = prompts;
  for (const part of ['"lint"', '1 test is red', 'because gate test, on which it depends, is red'])
    assert.ok(prompt.includes(part), `${part} in ${prompt}`);
});

test('the agent and the end of the run name the first test that failed', () => {
  const failures = [{ name: 'cart › adds', file: 'cart.js', line: 4, message: '3 is not 4' }];
  const settings = gated(['a'], { gates: [FIRST], once: false });
  const script = { settings, attempts: [done, 'open'], gates: [{ ...red, failures }] } as const;
  const [, prompt = ''] = driveAttempts(script).prompts;
  assert.ok(prompt.includes('cart › adds (cart.js:4): 3 is not 4'), prompt);
  const once = { ...script, settings: { ...settings, once: true } };
  assert.equal(
    driveAttempts(once).trace.at(-1),
    'failed: gate test failed: cart › adds (cart.js:4): 3 is not 4',
  );
});
