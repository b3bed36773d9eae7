import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limitsOfProof } from './gate-caveats.ts';
import type { GateBasis } from '../contracts/gate-contract.ts';

describe('a green gate', () => {
  const cases: [why: string, basis: GateBasis, limits: readonly string[]][] = [
    ['proves the work', {}, []],
    [
      'proves it if it notices a mutant',
      { proof: { kind: 'seeing', noticed: 'a', missed: [] } },
      [],
    ],
    [
      'proves it if no mutant applies',
      { proof: { kind: 'not-applicable', why: 'no changed line of code has a mutant' } },
      [],
    ],
    [
      'proves less if it is blind',
      { proof: { kind: 'blind', missed: ['a.js:1: swap the comparison'] } },
      [
        'gate test is blind: it stayed green with 1 mutant of the changed lines (a.js:1: swap the comparison)',
      ],
    ],
    [
      'proves less if it is not protected',
      { unprotected: ['bazel is not known'] },
      ['gate test is not protected: bazel is not known'],
    ],
    ['proves the work if you accept that', { unprotected: ['bazel'], accepted: true }, []],
    [
      'proves less if the tests of the base are red',
      { baseTestsRed: 'gate test failed: adds' },
      ['with the tests of the base, gate test failed: adds'],
    ],
  ];
  for (const [why, basis, limits] of cases)
    test(why, () =>
      assert.deepEqual(limitsOfProof({ kind: 'passed', name: 'test', ...basis }), limits),
    );
});
