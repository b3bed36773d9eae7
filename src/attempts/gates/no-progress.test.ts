/** An agent that reports to be done again and again, and changes no file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, driveAttempts, failed, settingsFor } from '../../../test/support/drive-attempts.ts';
import { drivenTable } from '../../../test/support/driven-table.ts';
import { GATES, gated, green, red } from '../../../test/support/gated-attempts.ts';

const ONE = { gates: GATES.slice(0, 1) };
const many = Array.from({ length: 9 }, () => done);

drivenTable('an agent that changes no file', [
  [
    'is followed by the next agent after two attempts, and its gate runs once more before that',
    {
      settings: gated(['a', 'b'], ONE),
      attempts: many,
      contents: ['one', 'one', 'one', 'two'],
      gates: [red, red, green],
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test is known', 'a at 2 s', 'gate test'],
      ...['looks', 'b at 3 s', 'gate test', 'succeeded: done'],
    ],
  ],
  [
    'has done its work if the gate was red only at times',
    {
      settings: gated(['a', 'b'], ONE),
      attempts: many,
      contents: ['one', 'one', 'one'],
      gates: [red, green],
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test is known', 'a at 2 s', 'gate test'],
      'succeeded: done',
    ],
  ],
  [
    'ends the run if no agent is left',
    {
      settings: gated(['a'], ONE),
      attempts: many,
      contents: ['one', 'one', 'one'],
      gates: [red, red],
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test is known', 'a at 2 s', 'gate test'],
      'failed: no progress: the last 2 attempts changed no file; gate test failed: 1 test is red',
    ],
  ],
  [
    'counts from the first attempt if it leaves the base as it was',
    {
      settings: gated(['a', 'b'], { ...ONE, baseline: true }),
      attempts: many,
      base: 'base',
      baseline: [red],
      contents: many.map(() => 'base'),
      gates: [red, red],
    },
    [
      ...['base test', 'looks', 'a', 'gate test is known', 'a at 1 s', 'gate test', 'looks'],
      ...['b at 2 s', 'gate test is known', 'b at 3 s', 'gate test'],
      'failed: no progress: the last 4 attempts changed no file; gate test failed: 1 test is red',
    ],
  ],
  [
    'starts again at one after a change',
    {
      settings: gated(['a'], ONE),
      attempts: [done, done, done, done, 'open'],
      contents: ['one', 'one', 'two', 'two'],
      gates: [red, red],
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test is known', 'a at 2 s', 'gate test'],
      ...['a at 3 s', 'gate test is known', 'failed: gate test failed: 1 test is red'],
    ],
  ],
  [
    'makes no progress only if it says that it is done: a failure has its own retries',
    {
      settings: settingsFor(['a'], { retriesPerAgent: 1 }, ONE),
      attempts: [done, done, failed('network'), done, 'open'],
      contents: ['one', 'one', 'one', 'one'],
      gates: [red],
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test is known', 'a at 2 s'],
      ...['waits until 8 s', 'a at 8 s', 'gate test is known', 'a at 9 s'],
    ],
  ],
]);

test('the log and the facts say why the next agent follows', () => {
  const { log, inputs } = driveAttempts({
    settings: gated(['a', 'b'], ONE),
    attempts: [done, done, done, 'open'],
    contents: ['one', 'one', 'one'],
    gates: [red, red],
  });
  assert.equal(
    log.at(-1),
    '[supervisor] switching from a to b (fallback, this run only): no progress: the last 2 attempts changed no file',
  );
  assert.deepEqual(inputs.at(-1)?.why, { kind: 'switch', from: 'a', unchanged: 2 });
});

test('without a baseline, an attempt says itself that it left the base as it was', () => {
  const { trace } = driveAttempts({
    settings: gated(['a'], ONE),
    attempts: many,
    contents: ['base', 'base'],
    unchangedFrom: 'base',
    gates: [red, red],
  });
  assert.equal(
    trace.at(-1),
    'failed: no progress: the last 2 attempts changed no file; gate test failed: 1 test is red',
  );
});
