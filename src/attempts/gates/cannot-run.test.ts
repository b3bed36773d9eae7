import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProjectListing } from '../../detection/listing.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import { describeCannotRun, nothingRan, unableOutcome } from './cannot-run.ts';

const unable = (why: string): GateOutcome => ({ kind: 'unable', name: 'test', why });
const red = (exit: number, tail: string): GateOutcome => ({
  kind: 'failed',
  name: 'test',
  exit,
  tail,
});
const MISSING = (line: string): string =>
  `a program that ${line} needs isn't there (exit 127): sh: 1: nmp: not found. Install it.`;

const PROJECT: ProjectListing = {
  paths: ['package.json'],
  ignored: [],
  texts: new Map([['package.json', '{"scripts":{"test":"node --test","lint":"oxlint"}}']]),
};

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
      /started: npm error Missing script: "tset"\nDid you mean: npm test\? Correct the gate, or/,
    ],
    [
      'names a script that no script is close to',
      'npm run everything',
      red(1, 'npm error Missing script: "everything"'),
      /Missing script: "everything"\. The project has: npm test, npm run lint\nCorrect the gate/,
    ],
    [
      'needs a module of Python that is not installed',
      'python3 -m pytest',
      red(1, '/usr/bin/python3: No module named pytest'),
      /No module named pytest\. Install it for the whole machine, or add it to the project or its setup\nCorrect/,
    ],
  ];
  for (const [why, line, outcome, expected] of cases)
    test(why, () => {
      const gate = { name: 'test', command: line.split(' ') };
      const found = nothingRan(gate, outcome);
      const judged = found === undefined ? outcome : unableOutcome(gate, found, PROJECT);
      const words = describeCannotRun(gate, judged);
      if (expected === undefined) assert.equal(words, undefined);
      else assert.match(words ?? '', expected);
    });
});
