import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextApplyMove } from './execute-apply.ts';
import type { Edit, Merges, CurrentState } from './plan-apply.ts';
import { applyObjections, pathsToMerge, planEdits } from './plan-apply.ts';
import type { FileChange, TreeFileEntry, FileTree } from '../tree-entries.ts';
import { compareTrees, parseTreeLine } from '../tree-entries.ts';

const file = (id: string, mode: TreeFileEntry['mode'] = '100644'): TreeFileEntry => ({
  mode,
  id,
  bytes: 1,
});
const [A, B, C, M] = [file('a'), file('b'), file('c'), file('m')];
const X = file('a', '100755');
const L = file('l', '120000');

const treeWith = (one: TreeFileEntry | undefined): FileTree =>
  new Map(one === undefined ? [] : [['p', one]]);

describe('two trees compared', () => {
  const cases: [
    why: string,
    before: TreeFileEntry | undefined,
    after: TreeFileEntry | undefined,
    kind: string | undefined,
  ][] = [
    ['new', undefined, A, 'added'],
    ['gone', A, undefined, 'deleted'],
    ['other content', A, B, 'modified'],
    ['executable now', A, X, 'mode'],
    ['a new symlink', undefined, L, 'symlink'],
    ['a file that became a symlink', A, L, 'symlink'],
    ['a symlink that became a file', L, A, 'symlink'],
    ['a symlink that is gone', L, undefined, 'deleted'],
    ['the same', A, file('a'), undefined],
  ];
  for (const [why, before, after, kind] of cases) {
    test(why, () => assert.equal(compareTrees(treeWith(before), treeWith(after))[0]?.kind, kind));
  }
});

test('a line of a listing is parsed, whatever characters its path has', () => {
  const id = 'a'.repeat(40);
  assert.deepEqual(parseTreeLine(`100755 blob ${id}       7\ta\tb\nc`), [
    'a\tb\nc',
    { mode: '100755', id, bytes: 7 },
  ]);
  assert.equal(parseTreeLine(`160000 commit ${id}       -\tsub`), undefined);
});

describe('one change against what the user has', () => {
  const modified: FileChange = { path: 'p', kind: 'modified', before: A, after: B };
  const added: FileChange = { path: 'p', kind: 'added', after: B };
  const deleted: FileChange = { path: 'p', kind: 'deleted', before: A };
  const merged: Merges = new Map([['p', M]]);
  const conflict = 'conflict';
  const cases: [
    why: string,
    change: FileChange,
    now: CurrentState,
    merges: Merges,
    expected: readonly Edit[] | 'conflict',
  ][] = [
    ['as it was', modified, A, new Map(), [{ path: 'p', expected: A, goal: B }]],
    ['already so', modified, B, new Map(), []],
    ['changed by both, and merged', modified, C, merged, [{ path: 'p', expected: C, goal: M }]],
    ['changed by both, and the user has the work already', modified, M, merged, []],
    ['changed by both, not merged', modified, C, new Map([['p', undefined]]), conflict],
    ['deleted by the user', modified, 'absent', merged, conflict],
    ['a symlink of the user', modified, L, merged, conflict],
    ['nothing there yet', added, 'absent', new Map(), [{ path: 'p', goal: B }]],
    ['another new file', added, C, merged, conflict],
    ['a pipe', added, 'other', merged, conflict],
    ['deleted by both', deleted, 'absent', new Map(), []],
    ['still as it was', deleted, A, new Map(), [{ path: 'p', expected: A }]],
    ['edited by the user', deleted, C, merged, conflict],
  ];
  for (const [why, change, now, merges, expected] of cases) {
    test(`${change.kind}: ${why}`, () => {
      const planned = planEdits([change], new Map([['p', now]]), merges);
      assert.deepEqual(planned.kind === 'edits' ? planned.edits : planned.kind, expected);
    });
  }

  test('only text that both sides changed is merged', () => {
    const counts = [
      pathsToMerge([modified], new Map([['p', C]])).length,
      pathsToMerge([modified], new Map([['p', A]])).length,
      pathsToMerge([added], new Map([['p', C]])).length,
      pathsToMerge([modified], new Map([['p', L]])).length,
    ];
    assert.deepEqual(counts, [1, 0, 0, 0]);
  });

  test('deletions come first, and the deepest before its folder', () => {
    const changes: FileChange[] = [
      { path: 'a', kind: 'added', after: A },
      { path: 'b/c', kind: 'deleted', before: A },
      { path: 'b/c/d', kind: 'deleted', before: A },
    ];
    const now = new Map<string, CurrentState>([
      ['b/c', A],
      ['b/c/d', A],
    ]);
    const planned = planEdits(changes, now, new Map());
    assert.deepEqual(planned.kind === 'edits' && planned.edits.map(({ path }) => path), [
      'b/c/d',
      'b/c',
      'a',
    ]);
  });
});

describe('the next move of one edit', () => {
  const replace: Edit = { path: 'p', expected: A, goal: B };
  const add: Edit = { path: 'p', goal: B };
  const remove: Edit = { path: 'p', expected: A };
  const cases: [
    why: string,
    edit: Edit,
    target: CurrentState,
    aside: CurrentState,
    expected: string,
  ][] = [
    ['nothing done yet', replace, A, 'absent', 'set-aside'],
    ['set aside, not placed', replace, 'absent', A, 'place'],
    ['placed', replace, B, A, 'done'],
    ['already so', replace, B, 'absent', 'done'],
    ['edited before', replace, C, 'absent', 'changed'],
    ['edited while it was set aside', replace, 'absent', C, 'changed'],
    ['written again after it was set aside', replace, C, A, 'changed'],
    ['deleted by the user', replace, 'absent', 'absent', 'changed'],
    ['a folder instead', replace, 'folder', 'absent', 'changed'],
    ['the path is free', add, 'absent', 'absent', 'place'],
    ['the path is taken', add, C, 'absent', 'changed'],
    ['placed', add, B, 'absent', 'done'],
    ['to be deleted', remove, A, 'absent', 'set-aside'],
    ['deleted', remove, 'absent', A, 'done'],
    ['deleted by the user too', remove, 'absent', 'absent', 'done'],
    ['a folder in its place by a later edit', remove, 'folder', A, 'done'],
    ['a folder of the user', remove, 'folder', 'absent', 'changed'],
  ];
  for (const [why, edit, target, aside, expected] of cases)
    test(why, () => assert.equal(nextApplyMove(edit, target, aside), expected));
});

test('every objection to a change is reported', () => {
  const after: FileTree = new Map([
    ['l', L],
    ['lib/x', A],
    ['out/x', A],
    ['q', A],
    ['Q', A],
  ]);
  const changes = compareTrees(new Map(), after);
  const given = {
    before: new Map(),
    after,
    changes,
    repositories: ['lib'],
    links: new Map([['l', 'q']]),
  };
  const found = applyObjections({
    ...given,
    symlinks: 'refused',
    oddities: [{ kind: 'special-file', path: 'pipe' }],
    allowed: ['l', 'lib', 'q', 'Q'],
  });
  assert.deepEqual(
    found.map(({ path, why }) => `${path} ${why}`),
    [
      'pipe is a pipe, a socket or a device',
      'l is a symlink',
      'lib/x is in the repository lib',
      'Q differs from another name only in case or accents',
      'q differs from another name only in case or accents',
      'out/x is outside the allowed paths',
    ],
  );
  assert.deepEqual(
    applyObjections({
      ...given,
      after: new Map([['l', L]]),
      changes: changes.filter(({ path }) => path === 'l'),
      symlinks: 'inside',
      oddities: [],
    }),
    [],
  );
});
