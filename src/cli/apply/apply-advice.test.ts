import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import { adviceAboutBranch, adviceAfterConflict } from './apply-advice.ts';

const RUN = 'a000000000';
const BOTH = 'You and the agent both changed a.js. Nothing was applied.';
const FILES: AppliedView = {
  ...{ kind: 'files', at: 0, files: 1, merged: 0, branch: 'main', commit: null, undone: null },
};
const BRANCH: AppliedView = { ...FILES, kind: 'branch', branch: 'try', commit: 'feed' };

describe('after a conflict, the person reads a command that works', () => {
  const cases: [why: string, applied: AppliedView | null, message: RegExp, hint: RegExp][] = [
    [
      'a branch, if the work is nowhere',
      null,
      /^You and the agent both changed a\.js\. Nothing was applied\.$/,
      /^Put the work on a new branch: supervisor apply a000000000 --branch work-a000000000\. Then merge it: git merge work-a000000000$/,
    ],
    [
      'a branch, if it was undone',
      { ...FILES, undone: 1 },
      /^You and the agent both changed/,
      /--branch work-a000000000/,
    ],
    [
      'the merge, if it is on a branch',
      BRANCH,
      /The work is already on the branch try\.$/,
      /^Merge it with: git merge try$/,
    ],
    [
      'the undo, if the files have it',
      FILES,
      /^The project already has the work of run a000000000 .* you changed the same files/,
      /supervisor apply --undo a000000000$/,
    ],
    [
      'the rollback, if a commit has it',
      { ...FILES, commit: 'beef' },
      /^The project already has/,
      /supervisor rollback a000000000$/,
    ],
    [
      'the rollback, if its branch was merged',
      { ...BRANCH, into: 'main' },
      /merged into main/,
      /supervisor rollback a000000000$/,
    ],
  ];
  for (const [why, applied, message, hint] of cases)
    test(why, () => {
      const advice = adviceAfterConflict(RUN, applied, BOTH, 1000);
      assert.match(advice.message, message);
      assert.match(advice.hint, hint);
    });
});

test('a branch that exists is merged if it has the work, and otherwise another name is chosen', () => {
  assert.deepEqual(
    [adviceAboutBranch(RUN, BRANCH, 'try').hint, adviceAboutBranch(RUN, BRANCH, 'other').hint],
    [
      'Merge it with: git merge try',
      'Choose another name: supervisor apply a000000000 --branch NAME',
    ],
  );
});
