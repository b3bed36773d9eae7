import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { OpenQuestion } from './open-question.ts';
import type { BoardRow } from './board.ts';
import type { RunView } from './run-view.ts';
import { groupRuns } from './run-groups.ts';

function run(id: string, more: Partial<RunView> = {}): BoardRow {
  return { row: { view: runViewFixture({ id, ...more }), reason: null, applied: null }, bars: [] };
}

const ended = (kind: 'succeeded' | 'failed', endedAt: number): Partial<RunView> => ({
  outcome: { kind, reason: '' },
  endedAt,
});
const attempt = { key: 'attempt-1', command: 'attempt', begunAt: 0 } as const;
const wait = { key: 'wait-1', command: 'wait', waitReason: 'cooldown', begunAt: 0 } as const;
/** A step of the run asks. */
const asked = { run: 'step', root: 'asks', key: 'ask-1', question: '?', since: 5 } as OpenQuestion;

const RUNS = [
  run('older', ended('succeeded', 10)),
  run('newer', ended('failed', 20)),
  run('works', { open: [attempt], attempts: 1, agent: 'codex' }),
  run('cools', { open: [wait], attempts: 1 }),
  run('asks', { open: [{ key: 'step-1', command: 'run', begunAt: 5, run: 'step' }] }),
];

function ids(query: string): Readonly<Record<string, readonly string[]>> {
  const { groups } = groupRuns(RUNS, [asked], query, 100);
  return Object.fromEntries(
    Object.entries(groups).map(([name, all]) => [name, all.map(({ board }) => board.row.view.id)]),
  );
}

describe('the Now screen', () => {
  const none = { 'needs-you': [], working: [], cooling: [], done: [] };
  const cases: [why: string, query: string, expected: object][] = [
    [
      'groups runs by what they need',
      '',
      { 'needs-you': ['asks'], working: ['works'], cooling: ['cools'], done: ['newer', 'older'] },
    ],
    ['shows what a query selects, as status does', 'is:bad', { ...none, done: ['newer'] }],
    ['takes several terms', 'agent:codex is:active', { ...none, working: ['works'] }],
  ];
  for (const [why, query, expected] of cases)
    test(why, () => assert.deepEqual(ids(query), expected));

  test('says what is wrong with a query, and shows everything', () => {
    const { problem, groups } = groupRuns(RUNS, [asked], 'is:nothing', 100);
    assert.match(problem ?? '', /^"nothing" is not a value for is:/);
    assert.equal(groups.done.length, 2);
  });
});
