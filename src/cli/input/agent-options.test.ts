import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { restartOption, ruleOptions, sandboxOption } from './agent-options.ts';

describe('the options of spawn', () => {
  const cases: [why: string, read: () => unknown, expected: unknown][] = [
    [
      'are left out if none is given',
      () => [sandboxOption([]), restartOption([])],
      [undefined, undefined],
    ],
    [
      'describe a sandbox',
      () =>
        sandboxOption([
          ...['network=a.example, b.example:8080', 'memory=2GB', 'cpus=1.5', 'pids=200'],
          ...['mount=/data', 'mount=/cache:rw'],
        ]),
      {
        network: ['a.example', 'b.example:8080'],
        memory: '2GB',
        cpus: 1.5,
        pids: 200,
        mounts: [
          { path: '/data', mode: 'ro' },
          { path: '/cache', mode: 'rw' },
        ],
      },
    ],
    [
      'describe restarts, and a word alone is the type',
      () => restartOption(['transient', 'restarts=3', 'within=1h']),
      { type: 'transient', restarts: 3, within: '1h' },
    ],
    [
      'describe rules with and without an action',
      () =>
        ruleOptions(['reap:command=git "push it"', 'outside=./src,./docs', 'warn:over_budget=2']),
      [
        { name: 'command-1', action: 'reap', command: ['git', 'push it'] },
        { name: 'outside-2', outside: ['./src', './docs'] },
        { name: 'over-budget-3', action: 'warn', over_budget: 2 },
      ],
    ],
  ];
  for (const [why, read, expected] of cases) test(why, () => assert.deepEqual(read(), expected));

  for (const read of [
    () => sandboxOption(['disk=1GB']),
    () => restartOption(['often=1']),
    () => ruleOptions(['reap:commands=ls']),
    () => ruleOptions(['constructor=1']),
  ])
    test(`refuse an unknown key: ${read.toString().slice(6)}`, () =>
      assert.throws(read, (error) => isRefusal(error, 'usage.invalid')));
});
