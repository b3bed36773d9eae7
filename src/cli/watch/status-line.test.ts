import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { RecordedRun } from '../../../test/support/run-history-fixture.ts';
import {
  attempt,
  begins,
  ends,
  notes,
  historyOfFacts,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { TurnRecord } from '../../protocol/turn.ts';
import type { CliContext } from '../cli-context.ts';
import type { LiveTurn } from './status-line.ts';
import { StatusLine, describeStatus, foldLiveTurn } from './status-line.ts';

const CLEAR = '\r\u001B[2K';

function screen(
  terminal: Partial<CliContext['terminal']> = {},
  env: CliContext['env'] = {},
): { context: CliContext; shown: string[]; clock: ManualClock } {
  const shown: string[] = [];
  const clock = new ManualClock();
  const context = {
    out: (text: string) => void shown.push(text),
    terminal: { isTty: true, width: 20, colour: false, ...terminal },
    clock,
    env,
  } as unknown as CliContext;
  return { context, shown, clock };
}

describe('the status line', () => {
  test('stays below the printed lines, updates every second, and is cleared at the end', async () => {
    const { context, shown, clock } = screen();
    const live = new StatusLine(context, true);
    live.print('one\n');
    live.show((now) => `at ${now}`);
    live.print('two\n');
    await clock.advance(1000);
    await live[Symbol.asyncDispose]();
    live.print('three\n');
    assert.deepEqual(shown, [
      'one\n',
      'at 0',
      `${CLEAR}two\nat 0`,
      `${CLEAR}at 1000`,
      CLEAR,
      'three\n',
    ]);
  });

  test('is cleared before an error is printed, and drawn again below it', async () => {
    const { context, shown } = screen();
    const withErrors = { ...context, err: (text: string) => void shown.push(`err: ${text}`) };
    await using live = new StatusLine(withErrors, true);
    live.printError('one\n');
    live.show(() => 'x');
    live.printError('two\n');
    assert.deepEqual(shown, ['err: one\n', 'x', CLEAR, 'err: two\n', 'x']);
  });

  test('never wraps, and shows control characters of an agent as escapes', async () => {
    const { context, shown } = screen();
    await using live = new StatusLine(context, true);
    live.show(() => `\u001B[2J${'x'.repeat(99)}`);
    assert.deepEqual(shown, [`\\x1b[2J${'x'.repeat(12)}`]);
  });

  const absent: [why: string, wanted: boolean, isTty: boolean, env: CliContext['env']][] = [
    ['when it is not wanted', false, true, {}],
    ['without a terminal', true, false, {}],
    ['on a dumb terminal', true, true, { TERM: 'dumb' }],
  ];
  for (const [why, wanted, isTty, env] of absent)
    test(`is not there ${why}`, async () => {
      const { context, shown, clock } = screen({ isTty }, env);
      await using live = new StatusLine(context, wanted);
      live.show(() => 'x');
      live.print('one\n');
      assert.deepEqual([shown, clock.sleeping], [['one\n'], 0]);
    });

  test('of a command is cleared before the bell, which rings only on a terminal', async () => {
    await using cli = await inProcessCli();
    const terminal = { isTty: true, width: 80, colour: false };
    const seen = await cli.say(['run', 'x', '-a', 'scripted'], { terminal });
    assert.match(seen.out, /scripted, attempt 1/);
    const summary = seen.out.split(CLEAR).at(-1) ?? '';
    assert.ok(summary.startsWith('  attempts  1 (scripted)\n'), 'the line is gone');
    assert.ok(summary.endsWith('\n\u0007'), 'the bell rings');
    const unseen = await cli.say(['run', 'x', '-a', 'scripted']);
    assert.ok(!unseen.out.includes('\r') && !unseen.out.includes('\u0007'));
  });
});

describe('the status of a run', () => {
  const HELD = {
    ...{ model: 'opus', cause: 'rate-limit', status: 429, message: '' },
    ...{ heldAt: 2000, until: 70_000 },
  } as const;
  const first: RecordedRun[] = [
    [0, submitted()],
    [1, attempt(1, 'main')],
  ];
  const cases: [why: string, events: RecordedRun[], tool: string | null, expected: string][] = [
    ['says queued before the first attempt', [[0, submitted()]], null, '1m05s  queued'],
    [
      'says that the setup is running',
      [
        [0, submitted()],
        [1, begins('setup-1', 'setup', { command: ['npm', 'ci'] })],
      ],
      null,
      '1m05s  setting up',
    ],
    [
      'says queued after the setup',
      [
        [0, submitted()],
        [1, begins('setup-1', 'setup', { command: ['npm', 'ci'] })],
        [2, ends('setup-1', { kind: 'ready', key: 'k', how: 'built', summary: 'made a' })],
      ],
      null,
      '1m05s  queued',
    ],
    [
      'names the agent, the attempt and the tool in use',
      first,
      'uses Bash',
      '1m05s  main, attempt 1  uses Bash',
    ],
    [
      'counts tokens and cost',
      [...first, [2, notes('attempt-1', { kind: 'spent', tokens: 12_345, usd: 0.123, calls: 1 })]],
      null,
      '1m05s  main, attempt 1  12.3k tokens  $0.12',
    ],
    [
      'never shows tokens of unknown price as $0.00',
      [
        ...first,
        [2, notes('attempt-1', { kind: 'spent', tokens: 500, usd: 0, calls: 1, unpriced: 1 })],
      ],
      null,
      '1m05s  main, attempt 1  500 tokens  cost unknown',
    ],
    [
      'says how long the run waits and why',
      [
        ...first,
        [
          2,
          ends('attempt-1', {
            kind: 'completed',
            summary: '',
            usage: { inputTokens: 3, outputTokens: 4, costUsd: null },
          }),
        ],
        [
          3,
          begins('wait-1', 'wait', {
            until: 125_000,
            reason: 'cooldown',
            why: 'main is cooling down',
          }),
        ],
      ],
      'uses Bash',
      '1m05s  main, attempt 1  waiting 1m00s: main is cooling down  7 tokens  cost unknown',
    ],
    [
      'says first for what a model call waits',
      [...first, [2, notes('attempt-1', { kind: 'call-held', ...HELD })]],
      'uses Bash',
      '1m05s  waits 5s: rate limit of opus  main, attempt 1',
    ],
    [
      'says nothing of a wait that is over',
      [...first, [2, notes('attempt-1', { kind: 'call-held', ...HELD, until: 65_000 })]],
      'uses Bash',
      '1m05s  main, attempt 1  uses Bash',
    ],
    [
      'says that the run waits for an answer',
      [
        [0, submitted()],
        [3, begins('ask-1', 'ask', { question: '?' })],
      ],
      null,
      '1m05s  queued  waiting for your answer',
    ],
  ];
  for (const [why, events, tool, expected] of cases)
    test(why, () => assert.equal(describeStatus(historyOfFacts(events), tool, 65_000), expected));
});

test('at 80 columns the activity is cut, and time, tokens and cost stay', () => {
  const history = historyOfFacts([
    [0, submitted()],
    [1, attempt(1, 'main')],
    [2, notes('attempt-1', { kind: 'spent', tokens: 12_345, usd: 0.123, calls: 1 })],
  ]);
  const tool = `uses Bash ${'x'.repeat(200)}`;
  const line = describeStatus(history, tool, 65_000, 79);
  assert.equal(line.length, 79);
  assert.match(line, /^1m05s {2}main, attempt 1 {2}uses Bash x+… {2}12\.3k tokens {2}\$0\.12$/);
});

describe('how far a conversation is', () => {
  const turns: readonly [why: string, turn: LiveTurn | null, shown: string][] = [
    ['is not shown before the first turn', null, '1m05s  main, attempt 1'],
    [
      'is the turn, and how full the context is',
      { number: 18, contextTokens: 86_000, contextTokensMax: 200_000 },
      '1m05s  main, attempt 1, turn 18  context 43%',
    ],
    [
      'is the turn alone if the size of the context is not known',
      { number: 2, contextTokens: 86_000, contextTokensMax: null },
      '1m05s  main, attempt 1, turn 2',
    ],
    [
      'is never more than full',
      { number: 3, contextTokens: 300_000, contextTokensMax: 200_000 },
      '1m05s  main, attempt 1, turn 3  context 100%',
    ],
  ];
  const history = historyOfFacts([
    [0, submitted()],
    [1, attempt(1, 'main')],
  ]);
  for (const [why, turn, shown] of turns)
    test(why, () => assert.equal(describeStatus(history, null, 65_000, Infinity, turn), shown));

  const turn = (number: number, kind: 'main' | 'sub'): TurnRecord => ({
    ...{ conversation: kind, kind, number, model: 'm', steps: [], calls: [], text: '' },
    ...{ contextTokens: 1, contextTokensMax: 2, outputTokens: null, stop: null },
  });
  test('is that of the main conversation of the last attempt', () => {
    const facts = [
      notes('attempt-1', { kind: 'turn', turn: turn(4, 'main') }),
      notes('attempt-1', { kind: 'turn', turn: turn(9, 'sub') }),
    ];
    const events = facts.map((body, nth) => ({ ...body, seq: nth + 1 }) as unknown as RunEvent);
    const last = events.reduce(foldLiveTurn, null as LiveTurn | null);
    assert.equal(last?.number, 4);
    const next = { ...attempt(2, 'main'), seq: 9 } as unknown as RunEvent;
    assert.equal(foldLiveTurn(last, next), null);
  });
});
