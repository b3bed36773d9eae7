import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Commitment } from './commitments.ts';
import { withOwnCommitments, withoutOwnCommitments } from './own-commitments.ts';

const parents: Commitment = {
  ...{ description: 'it builds', assertion: ['make'], by: 'parent', timeoutMs: 1000 },
  ...{ status: 'passed', failure: null },
};

function line(what: string, ...command: readonly string[]): string {
  return JSON.stringify({ what, command });
}

describe('S044: what an agent promises by itself', () => {
  const bad = 'this commitment was not taken, since it is not {"what":"…","command":["…"]}: ';
  const table: [why: string, lines: string[], own: string[], refused: string[]][] = [
    ['nothing', [], [], []],
    ['a command', [line('tests pass', 'npm', 'test')], ['tests pass: npm test'], []],
    ['the same twice is one', [line('a', 'x'), line('a', 'x')], ['a: x'], []],
    ['what its parent asked for is one', [line('it builds', 'make')], [], []],
    ['no command', [line('a')], [], [`${bad}${line('a')}`]],
    ['no words', [line(' ', 'x')], [], [`${bad}${line(' ', 'x')}`]],
    [
      'a command as a text',
      ['{"what":"a","command":"x"}'],
      [],
      [`${bad}{"what":"a","command":"x"}`],
    ],
    ['no JSON', ['tests pass'], [], [`${bad}tests pass`]],
    [
      'who it is by is not for it to say',
      ['{"what":"a","command":["x"],"by":"parent"}'],
      [],
      [`${bad}{"what":"a","command":["x"],"by":"parent"}`],
    ],
  ];
  for (const [why, lines, own, refused] of table)
    test(why, () => {
      const promised = withOwnCommitments([parents], lines);
      assert.deepEqual(promised.commitments[0], parents);
      const added = promised.commitments.slice(1);
      assert.deepEqual(
        added.map(({ description, assertion }) => `${description}: ${assertion.join(' ')}`),
        own,
      );
      assert.ok(added.every(({ by, status }) => by === 'itself' && status === 'pending'));
      assert.deepEqual(promised.refused, refused);
    });

  test('ten are taken, and no more', () => {
    const lines = Array.from({ length: 12 }, (_, nth) => line(`${nth}`, 'true'));
    const { commitments, refused } = withOwnCommitments([parents], lines);
    assert.equal(commitments.length, 11);
    assert.deepEqual(
      refused.map((words) => words.includes('it has made 10 already')),
      [true, true],
    );
  });

  test('the next piece of work is bound by what its parent asked for alone', () => {
    const { commitments } = withOwnCommitments([parents], [line('a', 'x')]);
    assert.deepEqual(withoutOwnCommitments(commitments), [parents]);
  });
});
