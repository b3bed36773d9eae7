import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import { NO_BUDGET_SPENT } from '../../protocol/views/budget-view.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { CliContext } from '../cli-context.ts';
import { formatStatusTable } from './status-table.ts';

const rows: readonly StatusRow[] = [
  {
    view: runViewFixture({
      agent: 'claude',
      attempts: 1,
      open: [{ key: 'attempt-1', command: 'attempt', begunAt: 0 }],
      gate: { name: 'test', verdict: 'passed' },
      budget: { ...NO_BUDGET_SPENT, spent: { tokens: 10, usd: 0.125, calls: 1 } },
    }),
    reason: null,
    applied: null,
  },
  {
    view: runViewFixture({
      id: '77aa91c04b',
      agent: 'claude',
      task: `a long\ntask ${'x'.repeat(99)}`,
    }),
    reason: 'agent claude at its limit of 2',
    applied: null,
  },
  {
    view: runViewFixture({
      id: '88aa91c04b',
      agent: 'codex',
      budget: { ...NO_BUDGET_SPENT, spent: { tokens: 12_340, usd: 0, calls: 1 } },
      endedAt: 60_000,
      outcome: { kind: 'succeeded', reason: 'all is done' },
    }),
    reason: 'all is done',
    applied: null,
  },
];

function shown(isTty: boolean, width: number, only = rows): readonly string[] {
  const terminal = { isTty, width, colour: false };
  const clock = new ManualClock(3_600_000);
  const context = { clock, terminal, timeZone: 'UTC' } as unknown as CliContext;
  return formatStatusTable(context, only).trimEnd().split('\n');
}

test('a red gate that a person accepted is not shown as success', () => {
  const view = runViewFixture({
    agent: 'claude',
    gate: { name: 'lint', verdict: 'passed' },
    accepted: [{ gate: 'test', by: 'ada' }],
    endedAt: 60_000,
    outcome: { kind: 'unverified', reason: 'done' },
  });
  assert.deepEqual(shown(false, 80, [{ view, reason: 'done', applied: null }]), [
    '3f2a91c04b  unverified  claude  shop  ✖ test, accepted  1h00m  00:00–00:01 (1m00s)  Fix the login form',
    '            gate test is red, accepted by ada',
  ]);
});

test('a terminal shows titles, a line for each run, and the reason below it', () => {
  assert.deepEqual(shown(true, 80), [
    'RUN         STATE      AGENT        COST    AGE  TASK',
    '3f2a91c04b  running    claude      $0.13  1h00m  Fix the login form',
    '            00:00–',
    '77aa91c04b  queued     claude             1h00m  a long task xxxxxxxxxxxxxxxxxx…',
    '            00:00–  agent claude at its limit of 2',
    '88aa91c04b  succeeded  codex   12.3k tok  1h00m  Fix the login form',
    '            00:00–00:01 (1m00s)',
  ]);
});

test('a terminal groups ended runs by their project', () => {
  const other = runViewFixture({
    ...{ id: '99aa91c04b', agent: 'codex', project: '/home/me/blog', task: 'Write it' },
    ...{ endedAt: 60_000, outcome: { kind: 'unverified', reason: 'done' } as const },
  });
  const mixed = [
    ...rows.slice(0, 1),
    { view: other, reason: null, applied: null },
    ...rows.slice(2),
  ];
  assert.deepEqual(
    shown(true, 80, mixed).filter((line) => !line.startsWith(' ')),
    [
      'RUN         STATE       AGENT   GATE         COST    AGE  TASK',
      '/home/me/shop',
      '3f2a91c04b  running     claude  ✔ test      $0.13  1h00m  Fix the login form',
      '88aa91c04b  succeeded   codex           12.3k tok  1h00m  Fix the login form',
      '',
      '/home/me/blog',
      '99aa91c04b  unverified  codex                      1h00m  Write it',
    ],
  );
  assert.equal(shown(false, 80, mixed).filter((line) => line.startsWith('/')).length, 0);
});

test('a wider terminal has a column for the times, if an ended run is listed', () => {
  assert.deepEqual(shown(true, 120).slice(0, 2), [
    'RUN         STATE      AGENT   PROJECT  GATE         COST    AGE  TIME                 TASK',
    '3f2a91c04b  running    claude  shop     ✔ test      $0.13  1h00m  00:00–               Fix the login form',
  ]);
  assert.doesNotMatch(shown(true, 100, rows.slice(0, 2)).join('\n'), /TIME|00:00/);
});

test('a pipe has no titles and cuts nothing, and columns without text are left out', () => {
  assert.deepEqual(shown(false, 60, rows.slice(1, 2)), [
    `77aa91c04b  queued  claude  shop  1h00m  a long task ${'x'.repeat(99)}`,
    '            agent claude at its limit of 2',
  ]);
});

test('a run that waits for the user shows what to type, and a terminal counts such runs', () => {
  const asking = (question: string, more: object): StatusRow => ({
    view: runViewFixture({
      open: [{ key: 'ask-1', command: 'ask', begunAt: 0, question, ...more }],
    }),
    reason: question,
    applied: null,
  });
  const both = [
    asking('claude needs the key ANTHROPIC_API_KEY.', {
      about: 'keys',
      question:
        'claude needs the key ANTHROPIC_API_KEY. From a shell that has it, run: supervisor resume 3f2a91c04b',
    }),
    asking('Spend more?', { choices: ['continue', 'stop'] }),
  ];
  assert.deepEqual(shown(true, 100, both), [
    '2 runs need you',
    'RUN         STATE           PROJECT    AGE  TASK',
    '3f2a91c04b  awaiting_input  shop     1h00m  Fix the login form',
    '            claude needs the key ANTHROPIC_API_KEY.',
    '            → From a shell that has it, run: supervisor resume 3f2a91c04b',
    '3f2a91c04b  awaiting_input  shop     1h00m  Fix the login form',
    '            Spend more?',
    '            → Answer with one of continue, stop. For example: supervisor answer 3f2a91c04b continue',
  ]);
  assert.equal(shown(false, 100, both)[0]?.startsWith('3f2a91c04b'), true);
});

test('a long reason loses its middle, and what to do stays whole', () => {
  const todo = 'Correct the gate, or start without this check: --without-baseline';
  const reason = `gate nmp test can't run on the base: ${'nmp: not found '.repeat(9)}\n${todo}`;
  const view = runViewFixture({ endedAt: 60_000, outcome: { kind: 'refused', reason } });
  const row: StatusRow = { view, reason, applied: null };
  for (const width of [80, 60, 40])
    assert.ok(shown(true, width, [row]).join('\n').endsWith(`… ${todo}`), String(width));
});

test('the cost of a run that continues another is its own', () => {
  const before = { tokens: 10, usd: 0.5, calls: 1, wallMs: 0 };
  const budget = { ...NO_BUDGET_SPENT, spent: { tokens: 12, usd: 0.75, calls: 2 }, before };
  const [line] = shown(false, 80, [
    { view: runViewFixture({ budget }), reason: null, applied: null },
  ]);
  assert.match(line ?? '', /  \$0\.25  /);
});

test('no line is wider than the terminal', () => {
  for (const width of [60, 80, 100, 120])
    for (const line of shown(true, width)) assert.ok(line.length <= width, line);
});

test('work that nothing has checked is yellow, and verified work is green', () => {
  const context = {
    clock: new ManualClock(3_600_000),
    terminal: { isTty: true, width: 80, colour: true },
  } as unknown as CliContext;
  for (const [kind, code] of [
    ['unverified', 33],
    ['succeeded', 32],
  ] as const) {
    const view = runViewFixture({ endedAt: 1, outcome: { kind, reason: '' } });
    const shown = formatStatusTable(context, [{ view, reason: null, applied: null }]);
    assert.ok(shown.includes(`\u001B[${code}m${kind}`), kind);
  }
});
