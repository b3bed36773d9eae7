import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProcessRow } from './process-table.ts';
import type { ProcessFamily } from './process-tree.ts';
import { findProcessFamily, isUnder } from './process-tree.ts';

/** `[pid, ppid, pgid, session, start time, tag]`, with numbers that no real process here has. */
type Row = readonly [number, number, number, number, number, string?];

const BASE = 5_000_000;
const row = ([pid, ppid, pgid, session, startTime]: Row): ProcessRow => ({
  pid: BASE + pid,
  ppid: BASE + ppid,
  pgid: BASE + pgid,
  session: BASE + session,
  startTime,
  zombie: false,
  stopped: false,
});
const id = (pid: number, startTime: number) => ({ pid: BASE + pid, startTime });

function familyPids(family: Partial<ProcessFamily>, table: readonly Row[]): number[] {
  const tags = new Map(
    table.flatMap(([pid, , , , , tag]): [number, string][] =>
      tag === undefined ? [] : [[BASE + pid, tag]],
    ),
  );
  const rows = new Map(table.map((one) => [BASE + one[0], row(one)]));
  const found = findProcessFamily({ tag: 'me/1', known: new Map(), ...family }, { rows, tags });
  return found.map(({ pid }) => pid - BASE).toSorted((a, b) => a - b);
}

describe('the members of a process family', () => {
  const leader = id(10, 100);
  const known = (pid: number, startTime: number) => new Map([[BASE + pid, id(pid, startTime)]]);
  const cases: [why: string, family: Partial<ProcessFamily>, table: Row[], pids: number[]][] = [
    [
      'children and their children, in any order of the table',
      { leader },
      [
        [12, 11, 12, 12, 102],
        [11, 10, 11, 11, 101],
        [10, 9, 10, 10, 100],
      ],
      [10, 11, 12],
    ],
    ['an orphan in its own session, by its tag', { leader }, [[20, 1, 20, 20, 130, 'me/1']], [20]],
    [
      'an orphan without a tag, by the session it was left in',
      { leader },
      [[20, 1, 15, 10, 130]],
      [20],
    ],
    [
      'an orphan without a tag, by the group it was left in',
      { leader },
      [[20, 1, 10, 9, 130]],
      [20],
    ],
    ['a process that was known before', { known: known(20, 130) }, [[20, 1, 20, 20, 130]], [20]],
    [
      'the orphans of a tool that was known before',
      { known: known(20, 130) },
      [[21, 1, 20, 20, 131]],
      [21],
    ],
    [
      'processes left in the session of a tool that is found by its tag',
      { leader },
      [
        [21, 1, 21, 20, 131],
        [20, 1, 20, 20, 130, 'me/1'],
      ],
      [20, 21],
    ],
    [
      'no process in a session whose number was reused',
      { leader },
      [
        [10, 1, 10, 10, 900],
        [11, 10, 10, 10, 901],
      ],
      [],
    ],
    [
      'no process that has taken the pid of a known one',
      { known: known(20, 130) },
      [[20, 1, 20, 20, 131]],
      [],
    ],
    ['no process older than the leader', { leader }, [[5, 1, 5, 5, 99, 'me/1']], []],
    [
      'not the siblings of the leader, nor the families beside it',
      { leader },
      [
        [10, 9, 10, 10, 100, 'me/1'],
        [11, 9, 11, 11, 101, 'me/2'],
        [12, 9, 12, 12, 101, 'me/10'],
      ],
      [10],
    ],
    [
      'everything under a tag, without any leader',
      { tag: 'me' },
      [
        [10, 9, 10, 10, 100, 'me/1/a'],
        [11, 9, 11, 11, 101, 'me/2'],
        [12, 9, 12, 12, 101, 'mean/1'],
      ],
      [10, 11],
    ],
  ];
  for (const [why, family, table, pids] of cases) {
    test(why, () => assert.deepEqual(familyPids(family, table), pids));
  }

  test('never our own process, nor the first process', () => {
    const pids = [process.pid, 1];
    const rows = new Map(pids.map((pid) => [pid, { ...row([0, 0, 0, 0, 100]), pid }]));
    const tags = new Map(pids.map((pid) => [pid, 'me/1']));
    assert.deepEqual(findProcessFamily({ tag: 'me', known: new Map() }, { rows, tags }), []);
  });
});

test('tags are paths', () => {
  assert.deepEqual(
    ['a', 'a/b', 'ab', '', undefined].map((tag) => isUnder(tag, 'a')),
    [true, true, false, false, false],
  );
});
