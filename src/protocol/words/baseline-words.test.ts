import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ToldApart } from './baseline-words.ts';
import { describeBaseline, describeToldApart, tellApart } from './baseline-words.ts';
import type { CountedTests, FailedGate, GateOutcome } from '../contracts/gate-contract.ts';

const green: GateOutcome = { kind: 'passed', name: 'test' };
const unable: GateOutcome = { kind: 'unable', name: 'test', why: 'no sandbox works here' };
const red = (tail: string, more: Partial<FailedGate> = {}): FailedGate => ({
  kind: 'failed',
  name: 'test',
  exit: 1,
  tail,
  ...more,
});
const counted = (failed: number, failing: readonly string[] = []): CountedTests => ({
  passed: 12,
  failed,
  skipped: 0,
  runners: ['node:test'],
  ...(failing.length === 0 ? {} : { failing }),
});
const tests = (...names: readonly string[]): FailedGate =>
  red('', { counted: counted(names.length, names) });

describe('a gate that is red on the base', () => {
  const nothing = { still: [], fixed: [], fresh: [] };
  const cases: [
    why: string,
    base: GateOutcome,
    now: GateOutcome,
    apart: ToldApart,
    words: string,
  ][] = [
    [
      'is told apart by the names of its tests',
      tests('a', 'b'),
      tests('b', 'c'),
      { by: 'tests', still: ['b'], fixed: ['a'], fresh: ['c'] },
      '1 test is new: c; 1 test failed before and still does: b; 1 test is fixed: a',
    ],
    [
      'has the same failures',
      tests('a', 'b'),
      tests('a', 'b'),
      { ...nothing, by: 'tests', still: ['a', 'b'] },
      '2 tests failed before and still do: a; b',
    ],
    [
      'is green now, with the names of the fixed tests',
      tests('a'),
      green,
      { ...nothing, by: 'tests', fixed: ['a'] },
      '1 test is fixed: a',
    ],
    [
      'is green now, and has no names',
      red('oops'),
      green,
      { ...nothing, by: 'none' },
      'red on the base, and green now',
    ],
    [
      'is told apart by its output, whatever the times, numbers and folders in it',
      red('lint: 2 errors in /tmp/a1/src/x.js (12 ms)'),
      red('lint: 2 errors in /tmp/b7/src/x.js (9 ms)'),
      { ...nothing, by: 'output' },
      'it fails as on the base',
    ],
    [
      'prints something else',
      red('lint: no semicolon'),
      red('lint: no comma'),
      { ...nothing, by: 'none' },
      'already red on the base; which failures are new is not known',
    ],
    [
      'ends with another exit code',
      red('oops'),
      red('oops', { exit: 2 }),
      { ...nothing, by: 'none' },
      'already red on the base; which failures are new is not known',
    ],
    [
      'has more failures than names',
      red('x', { counted: counted(3, ['a']) }),
      red('y', { counted: counted(3, ['a']) }),
      { ...nothing, by: 'none' },
      'already red on the base; which failures are new is not known',
    ],
    [
      "can't run now",
      tests('a'),
      unable,
      { ...nothing, by: 'none' },
      'already red on the base; which failures are new is not known',
    ],
  ];
  for (const [why, base, now, apart, words] of cases)
    test(why, () => {
      assert.deepEqual(tellApart(base, now), apart);
      assert.equal(describeToldApart(apart, now.kind === 'passed'), words);
    });
});

describe('a gate on the base, in words,', () => {
  const cases: [why: string, outcome: GateOutcome, words: string][] = [
    ['is green', green, 'is green on the base'],
    [
      'counts its tests',
      { ...green, counted: counted(0) },
      'is green on the base: 12 tests passed (node:test)',
    ],
    [
      'names the tests that fail',
      tests('adds', 'rounds'),
      'fails before the agent starts: 2 of 14 tests (adds; rounds)',
    ],
    [
      'names five of them',
      tests('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      'fails before the agent starts: 7 of 19 tests (a; b; c; d; e; and 2 more)',
    ],
    [
      'counts tests without names',
      red('', { counted: counted(1) }),
      'fails before the agent starts: 1 of 13 tests',
    ],
    ['gives its exit code', red('oops'), 'fails before the agent starts: exit 1'],
    [
      'ran too long',
      red('', { exit: null, timedOut: true }),
      'fails before the agent starts: it ran longer than its limit',
    ],
    ["can't run", unable, "can't run on the base: no sandbox works here"],
  ];
  for (const [why, outcome, words] of cases)
    test(why, () => assert.equal(describeBaseline(outcome), words));
});
