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

describe('S044: the commitments of an agent itself', () => {
  const bad = 'this commitment was rejected because it is not {"what":"…","command":["…"]}: ';
  const table: [why: string, lines: string[], own: string[], refused: string[]][] = [
    ['nothing', [], [], []],
    ['a command', [line('tests pass', 'npm', 'test')], ['tests pass: npm test'], []],
    ['the same twice counts once', [line('a', 'x'), line('a', 'x')], ['a: x'], []],
    ['a commitment of the parent counts once', [line('it builds', 'make')], [], []],
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
      'the agent does not choose who asked',
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

  test('ten are accepted, and no more', () => {
    const lines = Array.from({ length: 12 }, (_, nth) => line(`${nth}`, 'true'));
    const { commitments, refused } = withOwnCommitments([parents], lines);
    assert.equal(commitments.length, 11);
    assert.deepEqual(
      refused.map((words) => words.includes('the agent already has 10 of its own')),
      [true, true],
    );
  });

  test('the next queue item has only the commitments of the parent', () => {
    const { commitments } = withOwnCommitments([parents], [line('a', 'x')]);
    assert.deepEqual(withoutOwnCommitments(commitments), [parents]);
  });
});
