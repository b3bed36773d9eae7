import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  countLines,
  countLinesOf,
  percentOf,
  readCoverage,
  withoutOutside,
} from './coverage-report.ts';

const LCOV = `TN:
SF:src/a.js
FN:1,f
DA:1,1
DA:2,0
DA:3,5,checksum
LF:3
LH:2
end_of_record
SF:src/b.js
DA:1,0
end_of_record
`;
const COBERTURA = `<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "x.dtd"><coverage line-rate="1">
<packages><package><classes><class filename="src/a.py"><methods><method><lines><line number="1" hits="0"/></lines></method></methods>
<lines><line number="1" hits="1"/><line number="2" hits="0"/></lines></class></classes></package></packages></coverage>`;

type Case = readonly [
  why: string,
  text: string,
  format: 'lcov' | 'cobertura',
  total: string | undefined,
];

const CASES: readonly Case[] = [
  ['lcov is read line by line', LCOV, 'lcov', '2 of 4'],
  [
    'cobertura is read line by line, and its own rate is not believed',
    COBERTURA,
    'cobertura',
    '1 of 2',
  ],
  ['sums that lcov writes are not believed', 'SF:a\nDA:1,0\nLF:100\nLH:100\n', 'lcov', '0 of 1'],
  ['a line of two tests counts once', 'SF:a\nDA:1,0\nSF:a\nDA:1,2\n', 'lcov', '1 of 1'],
  ['broken numbers are left out', 'SF:a\nDA:x,1\nDA:-1,1\nDA:1,y\nDA:2,1\n', 'lcov', '1 of 1'],
  ['another format is no report', COBERTURA, 'lcov', undefined],
  ['an empty file is no report', '', 'cobertura', undefined],
];

describe('a coverage report', () => {
  for (const [why, text, format, total] of CASES)
    test(why, () => {
      const coverage = readCoverage(text, format);
      const counted = coverage && countLines(coverage);
      assert.equal(counted && `${counted.hit} of ${counted.found}`, total);
    });

  const changed: readonly (readonly [string, Readonly<Record<string, number[]>>, string])[] = [
    ['counts changed lines that it knows', { 'src/a.js': [1, 2, 9] }, '1 of 2'],
    ['finds a file by the end of its path', { 'app/src/a.js': [1] }, '1 of 1'],
    ['knows nothing of other files', { 'src/c.js': [1] }, '0 of 0'],
  ];
  for (const [why, lines, expected] of changed)
    test(why, () => {
      const coverage = readCoverage(LCOV, 'lcov') ?? new Map();
      const { hit, found } = countLinesOf(coverage, new Map(Object.entries(lines)));
      assert.equal(`${hit} of ${found}`, expected);
    });

  const places: readonly (readonly [path: string, startsIn: string, counts: boolean])[] = [
    ['src/a.js', '', true],
    ['./a.js', '', true],
    ['../../opt/reporter.js', '', false],
    ['src/../../reporter.js', '', false],
    ['../lib/a.js', 'web', true],
    ['../../lib/a.js', 'web', false],
    ['/work/project/a.js', '', true],
  ];
  for (const [path, startsIn, counts] of places)
    test(`${counts ? 'counts' : 'leaves out'} ${path}, written in ${startsIn || 'the root'}`, () => {
      const coverage = readCoverage(`SF:${path}\nDA:1,1\n`, 'lcov') ?? new Map();
      assert.equal(withoutOutside(coverage, startsIn).has(path), counts);
    });

  test('is a percentage', () => {
    assert.deepEqual([percentOf({ hit: 1, found: 4 }), percentOf({ hit: 0, found: 0 })], [25, 100]);
  });
});
