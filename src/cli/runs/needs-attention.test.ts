import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import type { CliContext } from '../cli-context.ts';
import { describeUnfinished, unfinished } from './needs-attention.ts';

const HOUR = 3_600_000;
const FAILED: Partial<RunView> = {
  id: 'aaaaaaaaaa',
  submittedAt: 0,
  endedAt: HOUR,
  outcome: { kind: 'failed', reason: 'main: exited with code 3' },
};

function row(view: Partial<RunView>, more: Partial<StatusRow> = {}): StatusRow {
  const whole = runViewFixture(view);
  return { view: whole, reason: whole.outcome?.reason ?? null, applied: null, ...more };
}

function endedAs(kind: NonNullable<RunView['outcome']>['kind']): Partial<RunView> {
  return { ...FAILED, outcome: { kind, reason: 'because' } };
}

describe('runs that ended without success', { timeout: 300_000 }, () => {
  const again = { id: 'bbbbbbbbbb', submittedAt: 2 * HOUR, endedAt: 3 * HOUR };
  const done = { outcome: { kind: 'unverified', reason: '' } } as const;
  const cases: readonly [why: string, rows: readonly StatusRow[], expected: readonly string[]][] = [
    ['a run that failed needs its person', [row(FAILED)], ['aaaaaaaaaa']],
    ['a run that is blocked does too', [row(endedAs('blocked'))], ['aaaaaaaaaa']],
    ['a run that no agent could do does too', [row(endedAs('exhausted'))], ['aaaaaaaaaa']],
    ['a run that was refused does too', [row(endedAs('refused'))], ['aaaaaaaaaa']],
    ['a run that succeeded does not', [row(endedAs('succeeded'))], []],
    ['a run that its person stopped does not', [row(endedAs('cancelled'))], []],
    ['a run that was resumed does not', [row(FAILED, { resumedAs: 'cccccccccc' })], []],
    ['a run that another run started does not', [row({ ...FAILED, parent: 'cccccccccc' })], []],
    ['a run whose task was given again does not', [row({ ...again, ...done }), row(FAILED)], []],
    [
      'the same task in another project is another task',
      [row({ ...again, ...done, project: '/elsewhere' }), row(FAILED)],
      ['aaaaaaaaaa'],
    ],
  ];
  for (const [why, rows, expected] of cases)
    test(why, () => {
      const found = unfinished(rows, 10 * HOUR);
      assert.deepEqual(
        found.map(({ view }) => view.id),
        expected,
      );
    });

  test('a run that failed last week is history', () => {
    assert.deepEqual(unfinished([row(FAILED)], 80 * HOUR), []);
  });

  test('are listed with the command that explains them, a few at most', () => {
    const terminal = { isTty: true, width: 60, colour: false };
    const context = { terminal, clock: new ManualClock(0) } as unknown as CliContext;
    const rows = Array.from({ length: 7 }, (_, place) =>
      row({ ...FAILED, id: `${place}f2a91c04b`, task: `Fix part ${place} ${'x'.repeat(80)}` }),
    );
    const lines = describeUnfinished(context, rows).split('\n');
    assert.deepEqual(lines.slice(0, 4), [
      'Ended without success:',
      `  0f2a91c04b  shop: Fix part 0 ${'x'.repeat(42)}…`,
      '              failed: main: exited with code 3',
      '              → supervisor why 0f2a91c04b',
    ]);
    assert.deepEqual(
      [lines.length, lines.at(-2)],
      [18, '  … and 2 more. List them with: supervisor status is:bad'],
    );
    assert.equal(describeUnfinished(context, []), '');
  });

  test('are in the status, and on standard error if a script reads the list', async () => {
    await using cli = await inProcessCli();
    await cli.say(['run', 'do it', '--agent', 'scripted:crashes']);
    const expected =
      /^Ended without success:\n {2}[0-9a-f]{10} {2}\S+: do it\n.*\n +→ supervisor why [0-9a-f]{10}\n$/;
    const script = await cli.say(['status']);
    assert.match(script.err, expected);
    assert.equal(script.out, 'No active runs. Start one with: supervisor run "…"\n');
    const terminal = { isTty: true, width: 80, colour: false };
    const screen = await cli.say(['status'], { terminal });
    assert.equal(screen.err, '');
    assert.match(screen.out.split('\n\n')[1] ?? '', expected);
    assert.equal((await cli.say(['status', '--json'])).err, '');
  });
});
