import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CommitmentCheck, Commitment } from './commitments.ts';
import { claimsDone, judgeRound } from './commitments.ts';

describe('the last words of an agent', () => {
  const cases: [why: string, text: string, boolean][] = [
    ['the word alone is a claim', 'All tests pass.\nDONE\n', true],
    ['so is the other', 'COMPLETED', true],
    ['so is an answer that says so', 'x\n{"status":"done","summary":"y"}', true],
    ['who gave up is not done', 'ABANDONED', false],
    ['who says that it is not is not', 'NOT DONE', false],
    ['nor is who says it of something else', 'I am DONE with this, it can not be built', false],
    ['nor who has undone it', 'UNDONE', false],
    ['nor who asks', 'COMPLETED?', false],
    ['nor who answers something else', '{"status":"blocked","note":"DONE"}', false],
    ['nor who said it earlier', 'DONE\nbut then the build broke', false],
    ['nor who says nothing', '', false],
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
    ['all of them hold', [own, parents], [passed, passed], 'complete'],
    [
      'its own are not enough',
      [own, parents],
      [passed, failed],
      'not-yet the build works: it exited with 1: expected 2, got 3',
    ],
    [
      'nor are its parent’s',
      [own, parents],
      [failed, passed],
      'not-yet the tests pass: it exited with 1: expected 2, got 3',
    ],
    [
      'one that takes too long does not hold',
      [own],
      [{ kind: 'timed-out', afterMs: 30_000 }],
      'not-yet the tests pass: it took longer than 30000 ms',
    ],
    [
      'one that can not be run is no proof',
      [own],
      [{ kind: 'unable', why: 'no sandbox' }],
      'not-yet the tests pass: it could not be run: no sandbox',
    ],
    ['who promised nothing is unverified', [], [], 'unverified'],
    ['S044: its own alone prove nothing to others', [own], [passed], 'unverified'],
  ];
  for (const [why, commitments, checks, expected] of cases) {
    test(why, () => {
      const { verdict } = judgeRound(commitments, checks);
      const failures = verdict.kind === 'not-yet' ? ` ${verdict.failures.join('; ')}` : '';
      assert.equal(`${verdict.kind}${failures}`, expected);
    });
  }

  test('one that failed is checked again when done is claimed again, and so is one that passed', () => {
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

  test('a round that leaves one out is a defect', () => {
    assert.throws(() => judgeRound([own, parents], [passed]), RangeError);
  });
});
