import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CommitmentCheck, Commitment } from './commitments.ts';
import { claimsDone, judgeRound } from './commitments.ts';

describe('the last line of an agent', () => {
  const cases: [why: string, text: string, boolean][] = [
    ['the word alone is a claim', 'All tests pass.\nDONE\n', true],
    ['the second word alone is a claim', 'COMPLETED', true],
    ['a JSON status is a claim', 'x\n{"status":"done","summary":"y"}', true],
    ['a word that contains DONE is no claim', 'ABANDONED', false],
    ['a negated word is no claim', 'NOT DONE', false],
    ['a word inside a sentence is no claim', 'I am DONE with this, it can not be built', false],
    ['a word that ends in DONE is no claim', 'UNDONE', false],
    ['a question is no claim', 'COMPLETED?', false],
    ['another JSON status is no claim', '{"status":"blocked","note":"DONE"}', false],
    ['a word on an earlier line is no claim', 'DONE\nbut then the build broke', false],
    ['an empty text is no claim', '', false],
  ];
  for (const [why, text, expected] of cases)
    test(why, () => assert.equal(claimsDone(text), expected));
});

const passed: CommitmentCheck = { kind: 'exited', code: 0, tail: '' };
const failed: CommitmentCheck = { kind: 'exited', code: 1, tail: 'expected 2, got 3' };

function promise(description: string, by: Commitment['by'] = 'itself'): Commitment {
  const asserted = { description, assertion: ['npm', 'test'], by, timeoutMs: 1000 } as const;
  return { ...asserted, status: 'pending', failure: null };
}

describe('a verdict', () => {
  const own = promise('the tests pass');
  const parents = promise('the build works', 'parent');
  const cases: [why: string, Commitment[], CommitmentCheck[], expected: string][] = [
    ['all commitments hold', [own, parents], [passed, passed], 'complete'],
    [
      'a failed commitment of the parent is decisive',
      [own, parents],
      [passed, failed],
      'not-yet the build works: it exited with 1: expected 2, got 3',
    ],
    [
      'a failed commitment of the agent is decisive',
      [own, parents],
      [failed, passed],
      'not-yet the tests pass: it exited with 1: expected 2, got 3',
    ],
    [
      'a commitment whose check takes too long fails',
      [own],
      [{ kind: 'timed-out', afterMs: 30_000 }],
      'not-yet the tests pass: it took longer than 30000 ms',
    ],
    [
      'a commitment whose check could not run fails',
      [own],
      [{ kind: 'unable', why: 'no sandbox' }],
      'not-yet the tests pass: it could not be run: no sandbox',
    ],
    ['an agent without commitments is unverified', [], [], 'unverified'],
    ['S044: own commitments alone do not verify', [own], [passed], 'unverified'],
  ];
  for (const [why, commitments, checks, expected] of cases) {
    test(why, () => {
      const { verdict } = judgeRound(commitments, checks);
      const failures = verdict.kind === 'not-yet' ? ` ${verdict.failures.join('; ')}` : '';
      assert.equal(`${verdict.kind}${failures}`, expected);
    });
  }

  test('failed and passed commitments are all checked again at the next claim', () => {
    const first = judgeRound([own, parents], [failed, passed]);
    assert.deepEqual(
      first.commitments.map(({ status }) => status),
      ['failed', 'passed'],
    );
    const second = judgeRound(first.commitments, [failed, passed]);
    assert.equal(second.verdict.kind, 'not-yet');
    const third = judgeRound(second.commitments, [passed, failed]);
    assert.deepEqual(
      third.commitments.map(({ status }) => status),
      ['passed', 'failed'],
    );
    const last = judgeRound(third.commitments, [passed, passed]);
    assert.deepEqual([last.verdict.kind, last.commitments[0]?.failure], ['complete', null]);
  });

  test('a round that omits a commitment is a defect', () => {
    assert.throws(() => judgeRound([own, parents], [passed]), RangeError);
  });
});
