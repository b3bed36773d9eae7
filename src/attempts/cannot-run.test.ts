import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GateOutcome } from '../protocol/gate-contract.ts';
import { describeCannotRun, unableIfNothingRan } from './cannot-run.ts';

const unable = (why: string): GateOutcome => ({ kind: 'unable', name: 'test', why });
const red = (exit: number, tail: string): GateOutcome => ({
  kind: 'failed',
  name: 'test',
  exit,
  tail,
});
const MISSING = (line: string): string =>
  `a program that ${line} needs isn't there (exit 127): sh: 1: nmp: not found. Install it.`;

const NO_MODULE = [
  "Error: Cannot find module '/home/ada/shop/nope.mjs'",
  '    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {',
  "  code: 'MODULE_NOT_FOUND',",
  '  requireStack: []',
  '}',
];

describe('a gate on the base', () => {
  const cases: [
    why: string,
    command: string,
    outcome: GateOutcome,
    expected: RegExp | undefined,
  ][] = [
    ['is green', 'npm test', { kind: 'passed', name: 'test' }, undefined],
    ['is red: its tests fail', 'npm test', red(1, 'not ok 1 - adds'), undefined],
    ['is red and prints about a missing program', 'npm test', red(1, 'x: not found'), undefined],
    [
      'has a misspelt program',
      'nmp test',
      unable(MISSING('nmp test')),
      /^gate test \(nmp test\) can't run on the base, so no agent was started: a program .*nmp: not found.*\nDid you mean: npm test\? Correct the gate, or start without this check: --without-baseline$/,
    ],
    [
      'has a misspelt program inside a shell',
      'sh -c "nmp test"',
      unable(MISSING('sh -c "nmp test"')),
      /\nDid you mean: npm\? Correct the gate/,
    ],
    [
      'has a program that no known name is close to',
      'zzyzx',
      unable('zzyzx: not found'),
      /zzyzx: not found\nCorrect the gate/,
    ],
    [
      'has a known program that is not installed',
      'cargo test',
      unable('cargo: not found'),
      /cargo: not found\nCorrect the gate/,
    ],
    ['has no sandbox', 'npm test', unable('no sandbox works here'), /no sandbox works here/],
    [
      'names a script that the package does not have',
      'npm run tset',
      red(1, 'npm error Missing script: "tset"\nnpm error\nnpm error Did you mean this?'),
      /started: npm error Missing script: "tset"\n/,
    ],
    [
      'names a target that the Makefile does not have',
      'make tset',
      red(2, "make: *** No rule to make target 'tset'.  Stop."),
      /No rule to make target 'tset'/,
    ],
    [
      'has a rule whose program is missing',
      'make test',
      red(
        2,
        'nmp test\nmake: nmp: No such file or directory\nmake: *** [Makefile:2: test] Error 127',
      ),
      /Error 127\n/,
    ],
    [
      'names a script of node that is not there',
      'node nope.mjs',
      red(1, NO_MODULE.join('\n')),
      /started: Error: Cannot find module '\/home\/ada\/shop\/nope.mjs'\n/,
    ],
    [
      'is red: a module of its script is not there',
      'node check.mjs',
      red(
        1,
        [...NO_MODULE.slice(0, -2), "  requireStack: ['/home/ada/shop/check.mjs']", '}'].join('\n'),
      ),
      undefined,
    ],
    [
      'names a script of python that is not there',
      'python3 nope.py',
      red(
        2,
        "python3: can't open file '/home/ada/shop/nope.py': [Errno 2] No such file or directory",
      ),
      /can't open file/,
    ],
    [
      'names a script of the shell that is not there',
      'sh nope.sh',
      red(2, 'sh: 0: cannot open nope.sh: No such file'),
      /cannot open nope\.sh/,
    ],
    [
      'is red: a rule of its Makefile fails',
      'make test',
      red(2, 'make: *** [Makefile:2: test] Error 1'),
      undefined,
    ],
    [
      'is red: a test prints what npm says about scripts',
      'pytest',
      red(1, 'npm error Missing script: "tset"'),
      undefined,
    ],
  ];
  for (const [why, line, outcome, expected] of cases)
    test(why, () => {
      const gate = { name: 'test', command: line.split(' ') };
      const words = describeCannotRun(gate, unableIfNothingRan(gate, outcome));
      if (expected === undefined) assert.equal(words, undefined);
      else assert.match(words ?? '', expected);
    });
});
