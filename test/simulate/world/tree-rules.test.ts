/**
 * Tests of the invariants about trees, applies and prunes: each gets a record that it must reject.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { INVARIANTS } from './invariants.ts';
import type { Fact, WorldRecord } from './record.ts';
import { isOfEarlierLife } from './tree-lives.ts';
import { TREE_RULES } from './tree-rules.ts';
import type { TreeEvent, TreesRecord } from './trees-record.ts';

const run = 'a';

function seen(
  events: readonly TreeEvent[],
  more: Partial<TreesRecord> = {},
  begun: readonly string[] = [],
): WorldRecord {
  const facts = begun.map((key) => ({
    type: 'apply.begun',
    payload: { run, request: { key, digest: '' } },
  }));
  const trees = { events, lostCommits: [], differences: [], cutOff: [], ...more };
  return { facts, trees } as unknown as WorldRecord;
}

function broken(record: WorldRecord): readonly string[] {
  return TREE_RULES.filter(({ breaches }) => breaches(record).length > 0).map(({ name }) => name);
}

const given = { kind: 'given', run, key: 'attempt-1', differs: [], holder: null } as const;
const removed = {
  ...({ kind: 'removed', run, lost: [], by: 'prune' } as const),
  ...{ isOver: true, isOfEarlierLife: false },
};
const answered = {
  ...({ kind: 'answered', run, request: 'key', answer: '{"files":1}' } as const),
  isOnRecord: true,
};

const WELL: readonly TreeEvent[] = [
  given,
  removed,
  { ...removed, by: 'attempt', isOver: false },
  { ...removed, isOver: false, isOfEarlierLife: true },
  { kind: 'cleared', run, isOver: true },
  { kind: 'finalized', run, unkept: [] },
  { kind: 'touched', run, path: 'x', isBegun: true },
  { kind: 'tidied', run, differs: [] },
  { ...answered, answer: 'store.full' },
  answered,
  answered,
];

describe('the invariants about trees', () => {
  test('are checked in every world', () => {
    assert.deepEqual(
      TREE_RULES.filter((rule) => !INVARIANTS.includes(rule)),
      [],
    );
  });

  test('hold in a world without faults, and in one without trees', () => {
    assert.deepEqual(broken(seen(WELL, {}, ['key', 'other'])), []);
    assert.deepEqual(broken({ facts: [], trees: null } as unknown as WorldRecord), []);
  });

  const CASES: readonly (readonly [string, WorldRecord])[] = [
    ['work is on its ref before its tree is removed', seen([{ ...removed, lost: ['x'] }])],
    ['an attempt finds the tree as the last one left it', seen([{ ...given, differs: ['x'] }])],
    ['a tree has one attempt at a time', seen([{ ...given, holder: 'attempt-1 of b' }])],
    ['saved work stays saved', seen([], { lostCommits: ['c1'] })],
    ['the work of a run is saved when it ends', seen([{ kind: 'finalized', run, unkept: ['x'] }])],
    [
      'apply.begun is durable before a file changes',
      seen([{ kind: 'touched', run, path: 'x', isBegun: false }]),
    ],
    [
      'an apply is all or nothing and loses nothing of the user',
      seen([{ kind: 'tidied', run, differs: ['x is gone'] }]),
    ],
    ['an apply is all or nothing and loses nothing of the user', seen([], { differences: ['x'] })],
    ['an interrupted apply continues with the next owner', seen([], { cutOff: [run] })],
    ['an apply is carried out once for each key', seen([], {}, ['key', 'key'])],
    ['an apply is carried out once for each key', seen([{ ...answered, isOnRecord: false }])],
    [
      'an apply is carried out once for each key',
      seen([answered, { ...answered, answer: 'workspace.conflict' }]),
    ],
    ['only ended runs and lives are pruned', seen([{ ...removed, isOver: false }])],
    [
      'only ended runs and lives are pruned',
      seen([{ ...removed, by: 'person', isOver: false, isOfEarlierLife: true }]),
    ],
    ['only ended runs and lives are pruned', seen([{ kind: 'cleared', run, isOver: false }])],
  ];
  test('are each named by a case here', () => {
    const named = new Set(CASES.map(([name]) => name));
    assert.deepEqual(
      TREE_RULES.map(({ name }) => name).filter((name) => !named.has(name)),
      [],
    );
  });

  for (const [name, record] of CASES)
    test(`find the violation: ${name}`, () => assert.deepEqual(broken(record), [name]));
});

describe('a tree of a running agent', () => {
  const live = (life: number) => ({
    type: 'signal.received',
    payload: { signal: { kind: 'start-life', life } },
  });
  const turn = (tree?: number) => ({
    type: 'command.begun',
    payload: { command: 'attempt', input: tree === undefined ? {} : { tree } },
  });
  const FOUR = [live(1), turn(), live(2), turn(2), live(3), turn(3), live(4), turn(4)];
  const cases: [why: string, facts: readonly object[], tree: number, expected: boolean][] = [
    ['was left by the newest three lives', FOUR, 1, true],
    ['is that of the life before the last', FOUR, 2, false],
    ['is that of the last life', FOUR, 3, false],
    ['is that of the current life', FOUR, 4, false],
    ['is still that of the current life, because its work was saved', [...FOUR, turn(1)], 1, false],
    [
      'is of a life before the newest three, which have had no turn',
      [...FOUR.slice(0, 2), ...[2, 3, 4].map(live)],
      1,
      false,
    ],
    ['is of an earlier life, but there were only three', FOUR.slice(0, 6), 1, false],
    ['is of an agent that was never alive', [turn(1), turn(2)], 1, false],
  ];
  for (const [why, facts, tree, expected] of cases)
    test(why, () => {
      const own = facts.map((fact) => ({ ...fact, stream: `run/${run}` }));
      const others = [...own, live(9), turn(9)].map((fact) => ({ ...fact, stream: 'run/b' }));
      const all = [...own, ...others] as unknown as readonly Fact[];
      assert.equal(isOfEarlierLife(all, run, tree), expected);
    });
});
