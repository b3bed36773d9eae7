import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewOwnerEvent, OwnerEvent } from '../../protocol/event.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import { NO_APPLIES, appliedView, currentApply, foldApplies } from './fold-applies.ts';

const RUN = 'a000000000';
const COMMIT = 'c';

function begins(before: string, branch: string | null = null): NewOwnerEvent {
  const onto = branch === null ? { onto: 'main', before } : {};
  return { type: 'apply.begun', payload: { run: RUN, commit: COMMIT, branch, ...onto, files: 2 } };
}

function ends(files = 2, branch: string | null = null): NewOwnerEvent {
  const onto = branch === null ? 'main' : null;
  const made = branch === null ? null : 'feed';
  const applied = { commit: COMMIT, files, merged: 0, branch, made, onto };
  const how = 'applied';
  return { type: 'apply.ended', payload: { run: RUN, commit: COMMIT, how, answer: { applied } } };
}

const refused: NewOwnerEvent = {
  type: 'apply.ended',
  payload: { run: RUN, commit: COMMIT, how: 'changed', answer: { refused: {} } },
};
const undoes: NewOwnerEvent = {
  type: 'undo.begun',
  payload: { run: RUN, commit: COMMIT, restores: 'b1', files: 2 },
};
const undone = (isDone = true): NewOwnerEvent => ({
  type: 'undo.ended',
  payload: {
    run: RUN,
    commit: COMMIT,
    how: '',
    answer: isDone ? { undone: { commit: COMMIT, files: 2 } } : { refused: {} },
  },
});
const committed: NewOwnerEvent = {
  type: 'apply.committed',
  payload: { run: RUN, made: 'beef', branch: 'main' },
};

const PLAIN = { id: RUN, committed: null, workFiles: 0 };
const merged: NewOwnerEvent = {
  type: 'work.merged',
  payload: { run: RUN, branch: 'try', into: 'main', made: 'bead' },
};
const rolledBack: NewOwnerEvent = {
  type: 'work.rolled-back',
  payload: { run: RUN, how: 'reverted', commits: ['beef'] },
};

const elsewhere: NewOwnerEvent = {
  type: 'work.rolled-back',
  payload: { run: RUN, how: 'branch-deleted', commits: ['beef'], project: '/web' },
};

const VIEW: AppliedView = {
  kind: 'files',
  at: 1,
  files: 2,
  merged: 0,
  branch: 'main',
  commit: null,
  undone: null,
};

describe('a run', () => {
  const cases: [
    why: string,
    events: readonly NewOwnerEvent[],
    view: AppliedView | null,
    restores: string | null | undefined,
  ][] = [
    ['is not applied before the end', [begins('b1')], null, undefined],
    ['is not applied if that was refused', [begins('b1'), refused], null, undefined],
    ['is applied, and can be restored', [begins('b1'), ends()], VIEW, 'b1'],
    ['is committed', [begins('b1'), ends(), committed], { ...VIEW, commit: 'beef' }, 'b1'],
    [
      'is applied to a new branch',
      [begins('b1', 'try'), ends(2, 'try')],
      { ...VIEW, kind: 'branch', branch: 'try', commit: 'feed' },
      null,
    ],
    [
      'is undone, and says when',
      [begins('b1'), ends(), undoes, undone()],
      { ...VIEW, undone: 3 },
      undefined,
    ],
    [
      'stays applied if the undo was refused',
      [begins('b1'), ends(), undoes, undone(false)],
      VIEW,
      'b1',
    ],
    [
      'keeps the first apply if a second changed nothing',
      [begins('b1'), ends(), begins('b2'), ends(0)],
      VIEW,
      'b1',
    ],
    [
      'was there before if the first apply changed nothing, and that can not be undone',
      [begins('b1'), ends(0)],
      { ...VIEW, files: 0 },
      undefined,
    ],
    [
      'is applied again after an undo',
      [begins('b1'), ends(), undoes, undone(), begins('b3'), ends()],
      { ...VIEW, at: 5 },
      'b3',
    ],
    [
      'goes back to its first apply when the second is undone',
      [begins('b1'), ends(), begins('b2'), ends(1), undoes, undone()],
      VIEW,
      'b1',
    ],
    [
      'can still be restored after an apply to a branch, which changes no file',
      [begins('b1'), ends(), begins('b2', 'try'), ends(2, 'try')],
      VIEW,
      'b1',
    ],
    [
      'is on its branch if the files were restored',
      [begins('b1'), ends(), begins('b2', 'try'), ends(2, 'try'), undoes, undone()],
      { ...VIEW, at: 3, kind: 'branch', branch: 'try', commit: 'feed' },
      null,
    ],
    [
      'is committed from the files, and not from the branch',
      [begins('b1'), ends(), begins('b2', 'try'), ends(2, 'try'), committed],
      { ...VIEW, commit: 'beef' },
      'b1',
    ],
    [
      'is merged with its branch',
      [begins('b1', 'try'), ends(2, 'try'), merged],
      { ...VIEW, kind: 'branch', branch: 'try', commit: 'feed', into: 'main' },
      null,
    ],
    [
      'is undone if its commit was rolled back',
      [begins('b1'), ends(), committed, rolledBack],
      { ...VIEW, commit: 'beef', undone: 3 },
      undefined,
    ],
    [
      'stays applied to its project if it was rolled back in another one',
      [begins('b1'), ends(), elsewhere],
      VIEW,
      'b1',
    ],
    [
      'has no earlier apply in place if its branch was rolled back',
      [begins('b1'), ends(), begins('b2', 'try'), ends(2, 'try'), rolledBack],
      { ...VIEW, at: 3, kind: 'branch', branch: 'try', commit: 'feed', undone: 4 },
      undefined,
    ],
  ];
  for (const [why, events, view, restores] of cases)
    test(why, () => {
      const state = events.reduce(
        (applies, event, at) => foldApplies(applies, { at, ...event } as unknown as OwnerEvent),
        NO_APPLIES,
      );
      assert.deepEqual(
        [appliedView(state, PLAIN), currentApply(state, RUN)?.before],
        [view, restores],
      );
    });
});

describe('a run whose workflow has committed the work', () => {
  const run = { id: RUN, committed: { branch: 'ai/7', commit: 'cafe', at: 0 }, workFiles: 3 };
  const OWN: AppliedView = {
    ...VIEW,
    kind: 'branch',
    at: 0,
    files: 3,
    branch: 'ai/7',
    commit: 'cafe',
  };
  const cases: [why: string, events: readonly NewOwnerEvent[], view: AppliedView][] = [
    ['is applied to its branch', [], OWN],
    ['is merged', [merged], { ...OWN, into: 'main' }],
    ['is rolled back', [merged, rolledBack], { ...OWN, into: 'main', undone: 1 }],
    ['may be applied to the files too', [begins('b1'), ends()], VIEW],
    [
      'is on its branch again if the files were restored',
      [begins('b1'), ends(), undoes, undone()],
      OWN,
    ],
  ];
  for (const [why, events, view] of cases)
    test(why, () => {
      const state = events.reduce(
        (applies, event, at) => foldApplies(applies, { at, ...event } as unknown as OwnerEvent),
        NO_APPLIES,
      );
      assert.deepEqual(appliedView(state, run), view);
    });
});
