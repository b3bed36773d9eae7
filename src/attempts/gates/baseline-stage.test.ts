/** Every gate runs once on the base, before the first attempt. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { done, driveAttempts } from '../../../test/support/drive-attempts.ts';
import { drivenTable } from '../../../test/support/driven-table.ts';
import { GATES, gated, green, red, unable } from '../../../test/support/gated-attempts.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';

const ON = { baseline: true };
const WARNS = GATES.map((gate) => ({ ...gate, warns: true }));
const BLOCKS = GATES.map((gate) => ({ ...gate, blocks: true }));
/** Each gate depends on the one before it. */
function chained(warns: readonly boolean[]): typeof GATES {
  const names = ['test', 'lint', 'types'];
  return warns.map((isAdvisory, place) => ({
    name: names[place] ?? '',
    command: ['npm', 'test'],
    timeoutMs: 1000,
    ...(isAdvisory ? { warns: true } : {}),
    ...(place === 0 ? {} : { dependsOn: [names[place - 1] ?? ''] }),
  }));
}
const CANNOT =
  "refused: gate test (npm test) can't run on the base, so no agent was started: npm is not there\nCorrect the gate, or start without this check: --without-baseline";

drivenTable('before the first attempt', [
  [
    'every gate runs once on the base',
    { settings: gated(['a'], ON), attempts: [done] },
    ['base test', 'base lint', 'looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'no gate runs on the base if the user does not want it',
    { settings: gated(['a'], { baseline: false }), attempts: [done] },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'a run without gates has no baseline',
    { settings: gated(['a'], { ...ON, gates: [] }), attempts: [done] },
    ['looks', 'a', 'unverified: done'],
  ],
  [
    "a gate that can't run ends the run before any agent starts, and later gates do not run",
    { settings: gated(['a', 'b'], ON), attempts: [done], baseline: [unable] },
    ['base test', CANNOT],
  ],
  [
    "an advisory gate that can't run ends nothing",
    { settings: gated(['a'], { ...ON, gates: WARNS }), attempts: [done], baseline: [unable] },
    ['base test', 'base lint', 'looks', 'a', 'gate test', 'gate lint', 'unverified: done'],
  ],
  [
    "an advisory gate that can't run ends the run if a gate that counts depends on it",
    {
      settings: gated(['a'], { ...ON, gates: chained([true, false]) }),
      attempts: [done],
      baseline: [unable],
    },
    ['base test', CANNOT.replace('on the base', 'on the base, and gate lint depends on it')],
  ],
  [
    'the same through another advisory gate',
    {
      settings: gated(['a'], { ...ON, gates: chained([true, true, false]) }),
      attempts: [done],
      baseline: [unable],
    },
    ['base test', CANNOT.replace('on the base', 'on the base, and gate types depends on it')],
  ],
  [
    'an advisory gate that another gate is not skipped for ends nothing',
    {
      settings: gated(['a'], {
        ...ON,
        gates: chained([true, false]).map((gate) => ({ ...gate, runsAfterRed: true })),
      }),
      attempts: [done],
      baseline: [unable],
      gates: [unable],
    },
    ['base test', 'base lint', 'looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'an advisory gate that only advisory gates depend on ends nothing',
    {
      settings: gated(['a'], { ...ON, gates: chained([true, true]) }),
      attempts: [done],
      baseline: [unable],
      gates: [unable],
    },
    [
      ...['base test', 'base lint', 'looks', 'a', 'gate test', 'gate lint is skipped'],
      'unverified: done',
    ],
  ],
  [
    'a red base does not stop the run: fixing it is the usual task',
    { settings: gated(['a'], ON), attempts: [done], baseline: [red, red] },
    ['base test', 'base lint', 'looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'a gate that blocks stops nothing if it is red on the base',
    { settings: gated(['a'], { ...ON, gates: BLOCKS }), attempts: [done], baseline: [red] },
    ['base test', 'base lint', 'looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'a gate that was red on the base has to be green in the end',
    {
      settings: gated(['a'], { ...ON, once: true }),
      attempts: [done],
      baseline: [red],
      gates: [red],
    },
    [
      'base test',
      'base lint',
      'looks',
      'a',
      'gate test',
      'failed: gate test failed: 1 test is red',
    ],
  ],
  [
    'a gate on the base that was interrupted because the owner ended runs again',
    { settings: gated(['a'], ON), attempts: [done], baseline: ['interrupted', green] },
    [
      ...['base test', 'base test', 'base lint', 'looks', 'a', 'gate test', 'gate lint'],
      'succeeded: done',
    ],
  ],
  [
    'a baseline that is interrupted again and again ends the run as exhausted',
    {
      settings: gated(['a'], ON),
      attempts: [done],
      baseline: ['interrupted', 'interrupted', 'interrupted'],
    },
    [
      ...['base test', 'base test', 'base test'],
      'exhausted: the baseline was interrupted 3 times because the owner ended',
    ],
  ],
  [
    'a stop cancels the gate on the base, and nothing else begins',
    { settings: gated(['a'], ON), attempts: [done], says: { 'baseline-1': 'stop' } },
    ['base test', 'asks baseline-1', 'cancelled: stopped before it began'],
  ],
  [
    'a kill ends the gate on the base',
    { settings: gated(['a'], ON), attempts: [done], says: { 'baseline-2': 'kill' } },
    ['base test', 'base lint', 'kills baseline-2', 'killed: stopped before it began'],
  ],
  [
    'the gates on the base run once, even if the first attempt is interrupted',
    { settings: gated(['a'], ON), attempts: ['interrupted', done] },
    [
      ...['base test', 'base lint', 'looks', 'a', 'a at 1 s', 'gate test', 'gate lint'],
      'succeeded: done',
    ],
  ],
]);

drivenTable('an attempt that leaves the base as it was', [
  [
    'does not run the gate that is red on the base, nor the green one before it',
    {
      settings: gated(['a'], ON),
      attempts: [done, done],
      base: 'base',
      contents: ['base', 'work'],
      baseline: [green, { ...red, name: 'lint' }],
    },
    [
      ...['base test', 'base lint', 'looks', 'a', 'gate lint is known', 'a at 1 s', 'gate test'],
      ...['gate lint', 'succeeded: done'],
    ],
  ],
  [
    'runs the gates if the base is green',
    { settings: gated(['a'], ON), attempts: [done], base: 'base', contents: ['base'] },
    ['base test', 'base lint', 'looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'runs an advisory gate again, whatever it said about the base',
    {
      settings: gated(['a'], { ...ON, gates: [...WARNS.slice(0, 1), ...GATES.slice(1)] }),
      attempts: [done],
      base: 'base',
      contents: ['base'],
      baseline: [red],
    },
    ['base test', 'base lint', 'looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'repeats the red gate of the base also after work that it took back',
    {
      settings: gated(['a'], { ...ON, gates: GATES.slice(0, 1) }),
      attempts: [done, done, 'open'],
      base: 'base',
      contents: ['work', 'base'],
      baseline: [red],
      gates: [red],
    },
    ['base test', 'looks', 'a', 'gate test', 'a at 1 s', 'gate test is known', 'a at 2 s'],
  ],
]);

describe('a gate that is red on the base', () => {
  const failing = (...names: readonly string[]): GateOutcome => ({
    ...red,
    counted: {
      passed: 9,
      failed: names.length,
      skipped: 0,
      runners: ['node:test'],
      failing: names,
    },
  });
  const script = {
    settings: gated(['a'], { ...ON, gates: GATES.slice(0, 1) }),
    attempts: [done, 'open'],
    baseline: [failing('adds', 'rounds')],
    gates: [failing('rounds', 'sorts')],
  } as const;

  test('is told apart from what the work broke, in the report to the agent', () => {
    assert.match(
      driveAttempts(script).prompts[1] ?? '',
      /was already red before the work began\. Compared with that .*\n<compared-\w+>\n1 test is new: sorts; 1 test failed before and still does: rounds; 1 test is fixed: adds\n/,
    );
  });

  test('is not mentioned to the agent if the base was green', () => {
    const { prompts } = driveAttempts({ ...script, baseline: [] });
    assert.doesNotMatch(prompts[1] ?? '', /already red/);
  });
});
