import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import { NO_BUDGET_SPENT } from '../../protocol/views/budget-view.ts';
import { describeLeft, describeOtherKeyless } from './describe-left.ts';

const limits = { usd: 1, tokens: null, calls: null, wallMs: null, deadlineMs: 60_000 };
const budget = { ...NO_BUDGET_SPENT, spent: { tokens: 9, usd: 0.25, calls: 1 } };
const row: StatusRow = { view: runViewFixture({ budget }), reason: null, applied: null };

const noBudget = { ...limits, usd: null };
const outcome = { kind: 'failed', reason: 'claude: ran past its deadline of 1m00s' } as const;
const late: StatusRow = { ...row, view: runViewFixture({ outcome }), limits: noBudget };

const cases: [why: string, before: StatusRow, after: StatusRow, expected: string][] = [
  ['nothing is said if nothing is limited', row, row, ''],
  [
    'what is left of a budget is said, without the deadline of an attempt',
    row,
    { ...row, limits },
    'Budget: $0.25 of $1.00 spent, $0.75 left\n',
  ],
  [
    'a run that was resumed before is said to count',
    { ...row, resumedAs: 'aaaaaaaaaa' },
    row,
    'Run 3f2a91c04b was resumed before, as aaaaaaaaaa. What that run has spent counts too.\n',
  ],
  [
    'the deadline that ended the run is named if it is still the same',
    late,
    late,
    'The deadline is 1m00s for each attempt, and it ended run 3f2a91c04b. For more time, stop this run and give resume a --deadline.\n',
  ],
  [
    'another deadline needs no words',
    late,
    { ...late, limits: { ...noBudget, deadlineMs: 120_000 } },
    '',
  ],
];
for (const [why, before, after, expected] of cases)
  test(`of a resumed run: ${why}`, () => assert.equal(describeLeft(before, after, 0), expected));

test('a run that gets its key names the other runs that wait for one', () => {
  const open = [{ key: 'ask-1', command: 'ask', begunAt: 0, about: 'keys' }] as const;
  const waiting = (id: string) => runViewFixture({ id, open: [...open] });
  const [one, two, three] = ['a', 'b', 'c'].map(waiting);
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  const hint = ': supervisor resume --all --everywhere\n';
  assert.equal(describeOtherKeyless('a', [one, runViewFixture({ id: 'd' })]), '');
  assert.equal(
    describeOtherKeyless('a', [one, two]),
    `1 other run waits for a key too. To resume it${hint}`,
  );
  assert.equal(
    describeOtherKeyless('a', [one, two, three]),
    `2 other runs wait for a key too. To resume all of them${hint}`,
  );
});
