/** The attempt loop with gates: their results decide how the run continues. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GATES, gated, green, red, unable } from '../../../test/support/gated-attempts.ts';
import { done, failed, driveAttempts } from '../../../test/support/drive-attempts.ts';
import { drivenTable } from '../../../test/support/driven-table.ts';

const WARNS = GATES.map((gate) => ({ ...gate, warns: true }));

drivenTable('gates that only warn', [
  [
    'a red gate fails nothing: the other gates run and prove the work',
    {
      settings: gated(['a'], { gates: [...WARNS.slice(0, 1), ...GATES.slice(1)] }),
      attempts: [done],
      gates: [red],
    },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'a gate that cannot run only warns',
    {
      settings: gated(['a'], { gates: [...GATES.slice(0, 1), ...WARNS.slice(1)] }),
      attempts: [done],
      gates: [green, unable],
    },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'warning gates prove nothing, green or red',
    { settings: gated(['a'], { gates: WARNS }), attempts: [done], gates: [green, red] },
    ['looks', 'a', 'gate test', 'gate lint', 'unverified: done'],
  ],
  [
    'an interrupted warning gate runs again',
    {
      settings: gated(['a'], { gates: WARNS.slice(0, 1) }),
      attempts: [done],
      gates: ['interrupted', red],
    },
    ['looks', 'a', 'gate test', 'gate test', 'unverified: done'],
  ],
]);

const BLOCKS = GATES.map((gate) => ({ ...gate, blocks: true }));

drivenTable('gates that block', [
  [
    'a red gate ends the run: neither the same agent nor another one tries again',
    { settings: gated(['a', 'b'], { gates: BLOCKS }), attempts: [done, done], gates: [red] },
    ['looks', 'a', 'gate test', 'blocked: gate test failed: 1 test is red'],
  ],
  [
    'a gate that cannot run blocks too',
    { settings: gated(['a', 'b'], { gates: BLOCKS }), attempts: [done, done], gates: [unable] },
    ['looks', 'a', 'gate test', 'blocked: gate test could not run: npm is not there'],
  ],
  [
    'green gates prove the work like other gates',
    { settings: gated(['a'], { gates: BLOCKS }), attempts: [done] },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
]);

drivenTable('gates', [
  [
    'the run succeeds if all gates are green',
    { settings: gated(['a']), attempts: [done] },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'after a red gate the same agent fixes the work, and later gates do not run',
    { settings: gated(['a', 'b']), attempts: [done, done], gates: [red] },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'no gate runs after a failed attempt',
    { settings: gated(['a']), attempts: [failed('crashed')] },
    ['looks', 'a', 'failed: a: crashed'],
  ],
  [
    'each agent has three fixes, then the next agent follows, then the run fails',
    {
      settings: gated(['a', 'b']),
      attempts: Array.from({ length: 9 }, () => done),
      gates: Array.from({ length: 9 }, () => red),
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'a at 2 s', 'gate test', 'a at 3 s'],
      ...['gate test', 'looks', 'b at 4 s', 'gate test', 'b at 5 s', 'gate test', 'b at 6 s'],
      ...['gate test', 'b at 7 s', 'gate test', 'failed: gate test failed: 1 test is red'],
    ],
  ],
  [
    "one that can't run is red; the same twice ends the run, because no agent can fix it",
    { settings: gated(['a', 'b']), attempts: [done, done], gates: [unable, unable] },
    [
      'looks',
      'a',
      'gate test',
      'a at 1 s',
      'gate test',
      'failed: gate test could not run: npm is not there',
    ],
  ],
  [
    'a gate that was interrupted because the owner ended runs again',
    { settings: gated(['a']), attempts: [done], gates: ['interrupted', green] },
    ['looks', 'a', 'gate test', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'interruptions do not change the outcome of work that is proven in the end',
    { settings: gated(['a']), attempts: ['interrupted', done], gates: ['interrupted', green] },
    ['looks', 'a', 'a at 1 s', 'gate test', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'a gate that is interrupted again and again ends the run as exhausted',
    {
      settings: gated(['a']),
      attempts: [done],
      gates: ['interrupted', 'interrupted', 'interrupted'],
    },
    [
      ...['looks', 'a', 'gate test', 'gate test', 'gate test'],
      'exhausted: the attempt was interrupted 3 times because the owner ended',
    ],
  ],
  [
    '--once: what is red stays red',
    { settings: gated(['a'], { once: true }), attempts: [done], gates: [red] },
    ['looks', 'a', 'gate test', 'failed: gate test failed: 1 test is red'],
  ],
  [
    'a stop after every gate has passed comes too late',
    { settings: gated(['a']), attempts: [done], gates: [green], says: { 'finalize-1': 'stop' } },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'a stop while a gate runs cancels the gate, and the work counts as stopped',
    { settings: gated(['a']), attempts: [done], says: { 'gate-1-0': 'stop' } },
    ['looks', 'a', 'gate test', 'asks gate-1-0', 'cancelled: stopped by the user during attempt 1'],
  ],
]);

test('a gate that runs again has a new key', () => {
  const { events } = driveAttempts({
    settings: gated(['a']),
    attempts: [done],
    gates: ['interrupted', 'interrupted', green],
  });
  const keys = events.flatMap((event) =>
    event.type === 'command.begun' && event.payload.command === 'gate' ? [event.payload.key] : [],
  );
  assert.deepEqual(keys, ['gate-1-0', 'gate-1-0.2', 'gate-1-0.3', 'gate-1-1']);
});
