import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { ResumeChoice } from './choose-resumable.ts';
import { allResumable, chooseResumable } from './choose-resumable.ts';

function over(id: string, kind: RunOutcome['kind'], more: Partial<RunView> = {}): RunView {
  return runViewFixture({ id, endedAt: 9, outcome: { kind, reason: 'as it is' }, ...more });
}

const active = runViewFixture({
  id: 'a',
  attempts: 1,
  open: [{ key: 'attempt-1', command: 'attempt', begunAt: 0 }],
});
const keyless = runViewFixture({
  id: 'k',
  open: [{ key: 'ask-1', command: 'ask', begunAt: 0, question: 'It needs X.', about: 'keys' }],
});
const failed: ResumeChoice = { kind: 'run', id: 'f', why: 'it ended as failed: as it is' };

const cases: [why: string, views: readonly RunView[], expected: ResumeChoice][] = [
  ['no run', [], { kind: 'none', why: 'nothing has run in this project yet' }],
  ['a run that failed', [over('f', 'failed')], failed],
  ['a newer run that works', [active, over('f', 'failed')], failed],
  ['a newer run that is done', [over('d', 'succeeded'), over('f', 'failed')], failed],
  [
    'a run that waits for a key',
    [keyless, over('f', 'failed')],
    { kind: 'run', id: 'k', why: 'it waits for a key: It needs X.' },
  ],
  [
    'a run that was resumed already',
    [over('d', 'succeeded', { continues: 'g' }), over('g', 'failed'), over('f', 'failed')],
    failed,
  ],
  [
    'only a run that works',
    [active],
    { kind: 'none', why: 'the last one, a, is running and continues by itself' },
  ],
  [
    'only a run that is done',
    [over('d', 'unverified')],
    { kind: 'none', why: 'the last one, d, has ended (unverified)' },
  ],
];

for (const [why, views, expected] of cases)
  test(`resume without a name: ${why}`, () => {
    assert.deepEqual(chooseResumable(views), expected);
  });

test('all that can be resumed: what waits for a key, or ended for a reason outside of its work', () => {
  const red = { gate: { name: 'test', verdict: 'failed' } } as const;
  const views = [
    ...[active, keyless, over('d', 'succeeded'), over('s', 'cancelled'), over('b', 'blocked')],
    ...[over('r', 'failed', red), over('e', 'exhausted'), over('f', 'failed')],
    ...[over('y', 'failed', { continues: 'x' }), over('x', 'failed')],
  ];
  assert.deepEqual(
    allResumable(views).map(({ id, isActive }) => [id, isActive]),
    [
      ['y', false],
      ['f', false],
      ['e', false],
      ['k', true],
    ],
  );
});

test('a run that ran past its deadline needs another one', () => {
  const reason = 'claude: ran past its deadline of 2h';
  const late = over('l', 'failed', { outcome: { kind: 'failed', reason } });
  assert.deepEqual(
    allResumable([late, over('f', 'failed')]).map(({ id, isLate }) => [id, isLate]),
    [
      ['f', false],
      ['l', true],
    ],
  );
});
