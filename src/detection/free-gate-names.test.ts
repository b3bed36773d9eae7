import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withFreeNames } from './free-gate-names.ts';

describe('the names of proposed gates', () => {
  const long = `test ${'a'.repeat(59)}`;
  const cases: [why: string, names: string[], taken: string[], expected: string[]][] = [
    ['stay if none is taken', ['test', 'lint'], ['mine'], ['test', 'lint']],
    ['differ from a gate of the user', ['test', 'lint'], ['test'], ['test project', 'lint']],
    [
      'differ from each other too',
      ['test', 'test project'],
      ['test', 'test project 2'],
      ['test project 3', 'test project'],
    ],
    ['stay within the limit', [long], [long], [`test ${'a'.repeat(51)} project`]],
  ];
  for (const [why, names, taken, expected] of cases)
    test(why, () => {
      const gates = withFreeNames(
        names.map((name) => ({ name })),
        taken,
      );
      assert.deepEqual(
        gates.map(({ name }) => name),
        expected,
      );
    });
});
