import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AppliedView } from './applied-view.ts';
import { appliedCell, describeApplied } from './applied-view.ts';

const NOW = 3_600_000;
const APPLIED: AppliedView = {
  kind: 'files',
  at: NOW - 300_000,
  files: 1,
  merged: 0,
  branch: 'main',
  commit: null,
  undone: null,
};

describe('an applied run says', () => {
  const cases: [why: string, change: Partial<AppliedView>, sentence: string, cell: string][] = [
    ['where and when', {}, 'applied 1 file to main 5m00s ago', 'main, 5m00s ago'],
    [
      'that there are several files',
      { files: 2 },
      'applied 2 files to main 5m00s ago',
      'main, 5m00s ago',
    ],
    [
      'that no branch was checked out',
      { branch: null },
      'applied 1 file to the project 5m00s ago',
      '5m00s ago',
    ],
    [
      'which commit has it',
      { commit: '0123456789abcdef' },
      'applied 1 file to main 5m00s ago, committed as 0123456789ab',
      'main, 5m00s ago',
    ],
    [
      'which new branch has it',
      { kind: 'branch', branch: 'try', commit: '0123456789abcdef' },
      'applied 1 file on the new branch try 5m00s ago, committed as 0123456789ab',
      'try, 5m00s ago',
    ],
    [
      'when it was undone',
      { undone: NOW - 60_000 },
      'applied 1 file to main 5m00s ago, undone 1m00s ago',
      'undone 1m00s ago',
    ],
    [
      'when a branch was rolled back, and not that files have changed since',
      { kind: 'branch', branch: 'try', commit: '0123456789abcdef', undone: NOW, changed: true },
      'applied 1 file on the new branch try 5m00s ago, committed as 0123456789ab, rolled back just now',
      'rolled back just now',
    ],
  ];
  for (const [why, change, sentence, cell] of cases)
    test(why, () => {
      const view = { ...APPLIED, ...change };
      assert.deepEqual([describeApplied(view, NOW), appliedCell(view, NOW)], [sentence, cell]);
    });
});
