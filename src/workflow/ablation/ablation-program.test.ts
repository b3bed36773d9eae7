/** A comparison of workflows, driven without an engine: a script answers its moves. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { ABLATION_PROGRAM } from '../../protocol/ablation.ts';
import type { PlannedTrial } from '../../protocol/ablation.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import type { AblationSubmission } from '../../protocol/run-submission.ts';
import { begunCommand } from '../../../test/support/begun-command.ts';
import type { LooseEnd } from '../../../test/support/run-event.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { definition, role, workflowSubmission } from '../../../test/support/workflow-fixture.ts';
import { ablationProgram } from './ablation-program.ts';
import type { AblationState } from './ablation-state.ts';

const GATES = ['lint', 'test'].map((name) => ({ name, command: ['make'], timeoutMs: 1000 }));
const TRIALS: readonly PlannedTrial[] = [
  { task: 0, round: 1, arm: 'without' },
  { task: 0, round: 1, arm: 'with' },
];

type Script = {
  /** The outcome of each trial, in order. After the last: unverified. */
  readonly outcomes?: readonly string[];
  /** How many files each trial changes. After the last: 1. */
  readonly files?: readonly number[];
  /** The results of gates, in order. After the last: green. */
  readonly gates?: readonly ('passed' | 'failed')[];
  readonly usd?: number;
  readonly budgetUsd?: number | null;
  /** The commit that its task starts with, and whether it can be opened. */
  readonly commit?: string;
  readonly isGone?: true;
  /** Commands whose owner dies while they are open. */
  readonly dies?: readonly string[];
  /** A stop arrives while the command with this key is open. */
  readonly stopAt?: string;
};

function submission({ budgetUsd = null, commit }: Script): AblationSubmission {
  const plain = workflowSubmission(definition({ implement: role('coder', null) }), 'compare');
  const { workflow, ...own } = plain.settings;
  const run = { ...own.budget.run, usd: budgetUsd };
  return {
    ...plain,
    program: ABLATION_PROGRAM,
    settings: {
      ...own,
      budget: { ...own.budget, run },
      ablation: {
        ...{ template: 'mvp', step: 'review', seed: 1, tasks: ['Add a sum'], gates: GATES },
        ...{ trials: TRIALS, arms: { with: workflow, without: workflow } },
        ...(commit === undefined ? {} : { bases: [commit] }),
      },
    },
  };
}

function drive(script: Script): {
  readonly trace: readonly string[];
  readonly state: AblationState;
} {
  const trace: string[] = [];
  let state: AblationState = ablationProgram.start(submission(script));
  let seq = 1;
  let now = 0;
  const used: Record<string, number> = {};
  const nth = (what: string): number => (used[what] = (used[what] ?? 0) + 1) - 1;
  const write = (event: NewRunEvent): void => {
    seq += 1;
    now += 1000;
    const position = { id: seq, stream: 'run/a', seq, v: EVENT_VERSION, at: now };
    state = ablationProgram.fold(state, { ...position, ...event });
    assert.deepEqual(JSON.parse(JSON.stringify(state)), state);
  };
  const play = (command: string): LooseEnd => {
    const done = (result: object): LooseEnd => ({ kind: 'done', result });
    if (command === 'run') {
      const number = nth('run');
      const kind = script.outcomes?.[number] ?? 'unverified';
      const { usd } = script;
      const spent =
        usd === undefined ? {} : { spent: { tokens: 5, usd, calls: 1, unpricedCalls: 0 } };
      return done({ run: `r${number}`, outcome: { kind, reason: kind }, ...spent });
    }
    if (command === 'open-base') {
      const work = { run: 'a', tree: 1, commit: 'c', content: 'the old files' };
      return done(script.isGone ? { kind: 'refused', why: 'no blob' } : { kind: 'opened', work });
    }
    if (command === 'collect-step') {
      const number = nth('collect');
      const files = script.files?.[number] ?? 1;
      const point = { run: `r${number}`, tree: 1, commit: 'c', content: `files ${number}` };
      const work = { ...point, files, added: 1, deleted: 0, names: [] };
      return done({ work, base: { ...point, content: `base ${number}` } });
    }
    const kind = script.gates?.[nth('gate')] ?? 'passed';
    return done({ kind, name: GATES[state.current.gates.length]?.name, exit: 1, tail: '' });
  };
  for (let moves = 0; moves < 100; moves += 1) {
    const [move] = ablationProgram.next(state, at(now), 0.5);
    assert.ok(move !== undefined && move.kind !== 'park' && move.kind !== 'ask');
    if (move.kind === 'finish') {
      trace.push(`${move.outcome.kind}: ${move.outcome.reason}`);
      return { trace, state };
    }
    if (move.kind === 'cancel') {
      trace.push(`cancels ${move.key}`);
      const end = {
        kind: 'done',
        result: { run: null, outcome: { kind: 'cancelled', reason: '' } },
      };
      write(runEvent({ type: 'command.ended', payload: { key: move.key, command: 'run', end } }));
      continue;
    }
    const { command, input } = begunCommand(move);
    const { key } = move;
    trace.push(key);
    write(runEvent({ type: 'command.begun', payload: { key, command, input, limits: [] } }));
    if (script.stopAt === key) {
      write({ type: 'signal.received', payload: { signal: { kind: 'stop' } } });
      continue;
    }
    const end =
      script.dies?.includes(key) === true ? ({ kind: 'interrupted' } as const) : play(command);
    write(runEvent({ type: 'command.ended', payload: { key, command, end } }));
  }
  throw new Error('it decides without end');
}

const FIRST = ['trial-1-1-without', 'collect-1', 'gate-1-1', 'gate-1-2'];
const SECOND = ['trial-1-1-with', 'collect-2', 'gate-2-1', 'gate-2-2'];
const END = (wins: number, losses: number, ties: number): string =>
  `succeeded: 1 pair: better with review in ${wins}, worse in ${losses}, equal in ${ties}.`;

describe('a comparison of workflows', () => {
  const cases: [why: string, script: Script, trace: readonly string[]][] = [
    ['runs each trial, and judges it by all gates', {}, [...FIRST, ...SECOND, END(0, 0, 1)]],
    [
      'judges by the first red gate alone',
      { gates: ['failed'] },
      [...FIRST.slice(0, 3), ...SECOND, END(1, 0, 0)],
    ],
    [
      'does not judge a trial that changed no file',
      { files: [1, 0] },
      [...FIRST, ...SECOND.slice(0, 2), END(0, 1, 0)],
    ],
    [
      'judges the work of a trial that failed',
      { outcomes: ['blocked'] },
      [...FIRST, ...SECOND, END(0, 0, 1)],
    ],
    [
      'gives no verdict about a trial that a person stopped',
      { outcomes: ['cancelled'] },
      [
        'trial-1-1-without',
        ...SECOND,
        'succeeded: No pair of trials has ended, so nothing is compared.',
      ],
    ],
    [
      'ends when the budget for all trials is spent',
      { usd: 3, budgetUsd: 2 },
      [...FIRST, 'exhausted: the budget for all trials is spent: $2'],
    ],
    [
      'repeats a judgement whose owner died, and no trial',
      { dies: ['gate-1-2', 'collect-2'] },
      [
        ...[...FIRST, 'gate-1-2.2', 'trial-1-1-with', 'collect-2', 'collect-2.2'],
        ...['gate-2-1', 'gate-2-2', END(0, 0, 1)],
      ],
    ],
    [
      'opens the base of a task once, and again if its owner died meanwhile',
      { commit: 'c1', dies: ['base-1'] },
      ['base-1', 'base-1.2', ...FIRST, ...SECOND, END(0, 0, 1)],
    ],
    [
      'gives no verdict if the base of a task cannot be opened',
      { commit: 'c1', isGone: true },
      ['base-1', 'base-2', 'succeeded: No pair of trials has ended, so nothing is compared.'],
    ],
    [
      'stops its trial first when it is stopped',
      { stopAt: 'trial-1-1-with' },
      [
        ...[...FIRST, 'trial-1-1-with', 'cancels trial-1-1-with'],
        'cancelled: stopped by the user after 1 trial',
      ],
    ],
  ];
  for (const [why, script, trace] of cases)
    test(why, () => assert.deepEqual(drive(script).trace, trace));

  test('starts every trial with the files that the first one started with', () => {
    const { state } = drive({});
    assert.equal(state.base?.content, 'base 0');
    const second = { ...state, results: state.results.slice(0, 1) };
    const [move] = ablationProgram.next(second, at(0), 0.5);
    assert.ok(move?.kind === 'run' && move.submission.program === 'workflow');
    assert.equal(move.submission.settings.workflow.startsFrom?.content, 'base 0');
  });

  test('starts every trial of a task with a base from its files', () => {
    const { state } = drive({ commit: 'c1' });
    assert.equal(state.base, null);
    const first = { ...state, results: [] };
    const [move] = ablationProgram.next(first, at(0), 0.5);
    assert.ok(move?.kind === 'run' && move.submission.program === 'workflow');
    assert.equal(move.submission.settings.workflow.startsFrom?.content, 'the old files');
  });

  test('counts the time and the money of each trial', () => {
    const { state } = drive({ usd: 0.5 });
    assert.deepEqual(
      state.results.map(({ durationMs, tokens, costUsd }) => [durationMs, tokens, costUsd]),
      [
        [1000, 5, 0.5],
        [1000, 5, 0.5],
      ],
    );
  });
});
