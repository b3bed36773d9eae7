import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { describeUnapplied, isUnapplied } from './unapplied-work.ts';

const DAY = 24 * 3_600_000;
const DONE: Partial<RunView> = {
  endedAt: 0,
  outcome: { kind: 'succeeded', reason: 'done' },
  workFiles: 2,
};
const APPLIED: AppliedView = {
  ...({ kind: 'files', at: 1, files: 2, merged: 0 } as const),
  ...{ branch: null, commit: null, undone: null },
};

describe('finished work that is not applied', () => {
  const cases: readonly [
    why: string,
    view: Partial<RunView>,
    applied: AppliedView | null,
    expected: boolean,
  ][] = [
    ['a run that succeeded', DONE, null, true],
    [
      'a run that no gate checked',
      { ...DONE, outcome: { kind: 'unverified', reason: '' } },
      null,
      true,
    ],
    ['work that is applied', DONE, APPLIED, false],
    ['work that was undone', DONE, { ...APPLIED, undone: 2 }, false],
    ['a run that changed no file', { ...DONE, workFiles: 0 }, null, false],
    ['a run that failed', { ...DONE, outcome: { kind: 'failed', reason: '' } }, null, false],
    ['a run that has not ended', { workFiles: 2 }, null, false],
  ];
  for (const [why, view, applied, expected] of cases)
    test(why, () => {
      const row = { view: runViewFixture(view), reason: null, applied };
      assert.equal(isUnapplied(row, DAY), expected);
    });

  test('work of long ago', () => {
    const row = { view: runViewFixture(DONE), reason: null, applied: null };
    assert.equal(isUnapplied(row, 8 * DAY), false);
  });

  test('is listed with the command that shows it, a few at most', () => {
    const context = { terminal: { isTty: true, width: 80, colour: false } } as CliContext;
    const rows = Array.from({ length: 7 }, (_, place) => ({
      view: runViewFixture({ ...DONE, id: `${place}f2a91c04b` }),
      ...{ reason: null, applied: null },
    }));
    const [head, first, , , , fifth, more] = describeUnapplied(context, rows).split('\n');
    assert.deepEqual(
      [head, first, fifth, more],
      [
        'Finished, not applied:',
        '  0f2a91c04b  Fix the login form (shop) → supervisor diff 0f2a91c04b',
        '  4f2a91c04b  Fix the login form (shop) → supervisor diff 4f2a91c04b',
        '  … and 2 more. List them with: supervisor status --all',
      ],
    );
    assert.equal(describeUnapplied(context, []), '');
  });
});
