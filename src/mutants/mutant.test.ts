import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileMutant, MutantOperator } from './mutant.ts';
import { applyMutant, chooseMutants, describeMutant } from './mutant.ts';

function mutants(text: string): readonly FileMutant[] {
  const short: Readonly<Record<string, MutantOperator>> = {
    n: 'negate-condition',
    s: 'swap-comparison',
    r: 'replace-return',
    d: 'delete-statement',
    o: 'off-by-one',
  };
  return text
    .split(' ')
    .filter((one) => one !== '')
    .map((one, at) => ({
      path: 'a.js',
      operator: short[one.charAt(0)] ?? 'swap-operator',
      line: Number(one.slice(1)),
      ...{ start: at, end: at, text: '' },
    }));
}

const CASES: readonly (readonly [why: string, found: string, expected: string])[] = [
  ['nothing gives nothing', '', ''],
  ['few are all taken', 'n1 s2', 'n1 s2'],
  ['each operator comes first', 'n1 n2 n3 n4 n5 s6 r7', 'n1 s6 r7 n2 n3'],
  ['each line comes before its second mutant', 'n1 s1 o1 n2 n3 n4 n5', 'n1 n2 n3 n4 n5'],
  ['a line has several mutants if there are no others', 'n1 s1 o1', 'n1 s1 o1'],
  ['five are enough', 'n1 s2 r3 d4 o5 n6 s7', 'n1 s2 r3 d4 o5'],
];

describe('the mutants of a change', () => {
  for (const [why, found, expected] of CASES)
    test(why, () => {
      const chosen = chooseMutants(mutants(found), 5);
      const text = chosen.map(({ operator, line }) => `${operator.charAt(0)}${line}`);
      assert.equal(text.join(' '), expected);
    });

  test('are applied and described', () => {
    const mutant = { ...(mutants('s2')[0] as FileMutant), start: 2, end: 3, text: '>=' };
    assert.deepEqual(
      [applyMutant('a < b', mutant), describeMutant(mutant)],
      ['a >= b', 'a.js:2: swap the comparison'],
    );
  });
});
