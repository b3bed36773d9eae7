import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TreeFileEntry } from '../tree-entries.ts';
import type { CurrentState } from './plan-apply.ts';
import type { AppliedEdit, UndoEdits } from './undo-apply.ts';
import { undoEdits } from './undo-apply.ts';

const file = (id: string, mode: TreeFileEntry['mode'] = '100644'): TreeFileEntry => ({
  mode,
  id,
  bytes: 1,
});
const [OLD, NEW, MINE] = [file('old'), file('new'), file('mine')];
const MERGES = new Map([['mergeable', file('merged')]]);

describe('an undo', () => {
  const cases: [
    why: string,
    applied: readonly AppliedEdit[],
    current: Readonly<Record<string, CurrentState>>,
    expected: UndoEdits,
  ][] = [
    [
      'puts back a changed, a deleted and a new file, deletions first',
      [
        { path: 'changed', expected: OLD, goal: NEW },
        { path: 'deleted', expected: OLD },
        { path: 'created', goal: NEW },
      ],
      { changed: NEW, created: NEW },
      {
        kind: 'edits',
        edits: [
          { path: 'created', expected: NEW },
          { path: 'changed', expected: NEW, goal: OLD },
          { path: 'deleted', goal: OLD },
        ],
      },
    ],
    [
      'puts back the permissions of a file that was deleted',
      [{ path: 'secret', expected: OLD, had: 0o600 }],
      {},
      { kind: 'edits', edits: [{ path: 'secret', goal: OLD, permissions: 0o600 }] },
    ],
    [
      'puts back a mode',
      [{ path: 'run', expected: OLD, goal: file('old', '100755') }],
      { run: file('old', '100755') },
      {
        kind: 'edits',
        edits: [{ path: 'run', expected: file('old', '100755'), goal: OLD }],
      },
    ],
    [
      'keeps the lines that the user changed since, if they can be merged',
      [{ path: 'mergeable', expected: OLD, goal: NEW }],
      { mergeable: MINE },
      { kind: 'edits', edits: [{ path: 'mergeable', expected: MINE, goal: file('merged') }] },
    ],
    [
      'leaves a file alone that is as it was',
      [{ path: 'a', expected: OLD, goal: NEW }],
      { a: OLD },
      { kind: 'edits', edits: [] },
    ],
    [
      'names the files that changed since, and changes none',
      [
        { path: 'a', expected: OLD, goal: NEW },
        { path: 'b', expected: OLD, goal: NEW },
        { path: 'c', expected: OLD },
        { path: 'd', goal: NEW },
      ],
      { a: NEW, b: MINE, c: MINE, d: 'other' },
      { kind: 'changed', paths: ['b', 'c', 'd'] },
    ],
    [
      'names a deleted file if the user has a folder at its path now',
      [{ path: 'x', expected: OLD }],
      { x: 'folder' },
      { kind: 'changed', paths: ['x'] },
    ],
    [
      'puts back a file that became a folder',
      [
        { path: 'x', expected: OLD },
        { path: 'x/inside', goal: NEW },
      ],
      { x: 'folder', 'x/inside': NEW },
      {
        kind: 'edits',
        edits: [
          { path: 'x/inside', expected: NEW },
          { path: 'x', goal: OLD },
        ],
      },
    ],
  ];
  for (const [why, applied, current, expected] of cases)
    test(why, () =>
      assert.deepEqual(undoEdits(applied, new Map(Object.entries(current)), MERGES), expected),
    );
});
