import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import { lacksDependencies } from './lacks-dependencies.ts';

const red = (tail: string): GateOutcome => ({ kind: 'failed', name: 'test', exit: 1, tail });

const unable = (why: string, meant?: string): GateOutcome => ({
  kind: 'unable',
  name: 'test',
  why,
  ...(meant === undefined ? {} : { meant }),
});

const CASES: readonly (readonly [why: string, outcome: GateOutcome, lacks: boolean])[] = [
  ['is green', { kind: 'passed', name: 'test' }, false],
  ['lacks its program', unable("a program that jest needs isn't there (exit 127)"), true],
  ['lacks its module', unable('/usr/bin/python3: No module named pytest'), true],
  ['is misspelt', unable('python3: No module named pytset', 'python3 -m pytest'), false],
  ['names no script', unable('npm error Missing script: "everything"'), false],
  ['has a failing test', red('not ok 1 - adds\n  expected 3'), false],
  ['does not find a package', red("Error: Cannot find module 'left-pad'"), true],
  [
    'does not find a package, as a module',
    red("Cannot find package 'a' imported from b.mjs"),
    true,
  ],
  ['does not find a module of Python', red("ModuleNotFoundError: No module named 'yaml'"), true],
  ['does not find a program', red('sh: 1: jest: not found'), true],
  ['tries to fetch a package', red('npm error code EAI_AGAIN'), true],
  ['tries to fetch a module of Go', red('a.go:3: no required module provides package b'), true],
  ['does not know an option of a plugin', red('error: unrecognized arguments: --cov=src'), true],
  ['finds a wrong page', red('AssertionError: page not found != 200'), false],
  ['ran out of time', { kind: 'failed', name: 'a', exit: null, tail: '', timedOut: true }, false],
];
for (const [why, outcome, lacks] of CASES)
  test(`a gate that ${why} ${lacks ? 'lacks' : 'does not lack'} dependencies`, () => {
    assert.equal(lacksDependencies(outcome), lacks);
  });
