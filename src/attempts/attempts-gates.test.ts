/** The attempt loop with gates: what they say decides what becomes of the work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GATES, gated, green, red, unable } from '../../test/support/gated-attempts.ts';
import { done, failed, driveAttempts } from '../../test/support/drive-attempts.ts';
import { drivenTable } from '../../test/support/driven-table.ts';

const WARNS = GATES.map((gate) => ({ ...gate, warns: true }));

drivenTable('gates that only warn', [
  [
    'a red one fails nothing: the others are asked, and prove it',
    {
      settings: gated(['a'], { gates: [...WARNS.slice(0, 1), ...GATES.slice(1)] }),
      attempts: [done],
      gates: [red],
    },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'one that can not run is no more than that',
    {
      settings: gated(['a'], { gates: [...GATES.slice(0, 1), ...WARNS.slice(1)] }),
      attempts: [done],
      gates: [green, unable],
    },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'green or red, they prove nothing',
    { settings: gated(['a'], { gates: WARNS }), attempts: [done], gates: [green, red] },
    ['looks', 'a', 'gate test', 'gate lint', 'unverified: done'],
  ],
  [
    'one that was lost is asked again',
    {
      settings: gated(['a'], { gates: WARNS.slice(0, 1) }),
      attempts: [done],
      gates: ['lost', red],
    },
    ['looks', 'a', 'gate test', 'gate test', 'unverified: done'],
  ],
]);

const BLOCKS = GATES.map((gate) => ({ ...gate, blocks: true }));

drivenTable('gates that block', [
  [
    'a red one ends the run: no agent tries again, and no other one does',
    { settings: gated(['a', 'b'], { gates: BLOCKS }), attempts: [done, done], gates: [red] },
    ['looks', 'a', 'gate test', 'blocked: gate test: 1 test is red'],
  ],
  [
    'one that can not run blocks as well',
    { settings: gated(['a', 'b'], { gates: BLOCKS }), attempts: [done, done], gates: [unable] },
    ['looks', 'a', 'gate test', 'blocked: gate test: npm is not there'],
  ],
  [
    'green ones prove the work like others',
    { settings: gated(['a'], { gates: BLOCKS }), attempts: [done] },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
]);

drivenTable('gates', [
  [
    'all green: it succeeded',
    { settings: gated(['a']), attempts: [done] },
    ['looks', 'a', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'a red one: the same agent mends it, the others are not asked',
    { settings: gated(['a', 'b']), attempts: [done, done], gates: [red] },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'work that failed is not judged',
    { settings: gated(['a']), attempts: [failed('crashed')] },
    ['looks', 'a', 'failed: a: crashed'],
  ],
  [
    'three fixes an agent, then the next one, then it failed',
    {
      settings: gated(['a', 'b']),
      attempts: Array.from({ length: 9 }, () => done),
      gates: Array.from({ length: 9 }, () => red),
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'a at 2 s', 'gate test', 'a at 3 s'],
      ...['gate test', 'looks', 'b at 4 s', 'gate test', 'b at 5 s', 'gate test', 'b at 6 s'],
      ...['gate test', 'b at 7 s', 'gate test', 'failed: gate test: 1 test is red'],
    ],
  ],
  [
    "one that can't run is red; twice the same, and nobody can mend it",
    { settings: gated(['a', 'b']), attempts: [done, done], gates: [unable, unable] },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'failed: gate test: npm is not there'],
  ],
  [
    'one that was lost with its owner runs again',
    { settings: gated(['a']), attempts: [done], gates: ['lost', green] },
    ['looks', 'a', 'gate test', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'losses on the way take nothing from work that is proven at last',
    { settings: gated(['a']), attempts: ['lost', done], gates: ['lost', green] },
    ['looks', 'a', 'a at 1 s', 'gate test', 'gate test', 'gate lint', 'succeeded: done'],
  ],
  [
    'one that is lost again and again ends the run, which did not succeed',
    { settings: gated(['a']), attempts: [done], gates: ['lost', 'lost', 'lost'] },
    [
      ...['looks', 'a', 'gate test', 'gate test', 'gate test'],
      'exhausted: the attempt was lost 3 times with its owner',
    ],
  ],
  [
    '--once: what is red stays red',
    { settings: gated(['a'], { once: true }), attempts: [done], gates: [red] },
    ['looks', 'a', 'gate test', 'failed: gate test: 1 test is red'],
  ],
  [
    'a stop while a gate runs: it is called off, and the work counts as stopped',
    { settings: gated(['a']), attempts: [done], says: { 'gate-1-0': 'stop' } },
    ['looks', 'a', 'gate test', 'asks gate-1-0', 'cancelled: stopped by the user during attempt 1'],
  ],
]);

test('a gate that is run again has a key of its own', () => {
  const { events } = driveAttempts({
    settings: gated(['a']),
    attempts: [done],
    gates: ['lost', 'lost', green],
  });
  const keys = events.flatMap((event) =>
    event.type === 'command.begun' && event.payload.command === 'gate' ? [event.payload.key] : [],
  );
  assert.deepEqual(keys, ['gate-1-0', 'gate-1-0.2', 'gate-1-0.3', 'gate-1-1']);
});
