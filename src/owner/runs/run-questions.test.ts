import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { ApprovalDecision } from '../../protocol/approval.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { Journal } from '../../store/journal.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { BUDGET_CHOICES } from '../../protocol/views/money-question.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { foldRunView } from '../../protocol/views/run-view.ts';
import { ownQuestions } from '../../protocol/views/questions-of-run.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { Pauses } from '../pauses.ts';
import type { QuestionPorts } from './run-questions.ts';
import { RunQuestions, signalRun } from './run-questions.ts';

const RUN = '0123456789' as RunId;

function ask(key: string, input: object): NewRunEvent {
  return runEvent({ type: 'command.begun', payload: { key, command: 'ask', input } });
}

const over = { kind: 'over-budget', scope: 'run', limit: 'usd', because: 'price-unknown', cap: 5 };
const events: readonly NewRunEvent[] = [
  runEvent({
    type: 'run.submitted',
    payload: { program: 'x', task: 'x', project: '/p', settings: {} },
  }),
  runEvent({ type: 'command.noted', payload: { key: 'attempt-1', note: over } }),
  ask('issue-1', { question: 'Which colour?', issue: 1 }),
  ask('ask-1', { question: 'And now?', choices: BUDGET_CHOICES['price-unknown'] }),
  ask('ask-2', {
    question: 'Approve it?',
    choices: ['approve', 'reject', 'send-back'],
    approval: {
      ...{ step: 'review', work: 'w1', files: 1, added: 0, deleted: 0, names: ['a.ts'] },
      needs: { tier: 'high', reasons: [], peopleMin: 1, approvers: [], approvedBy: [] },
    },
  }),
];

function asking(): RunView {
  const head = { id: 1, stream: runStream(RUN), v: EVENT_VERSION, at: 0 };
  const view = events.reduce<RunView | undefined>(
    (before, event, place) => foldRunView(before, { ...head, seq: place + 1, ...event }),
    undefined,
  );
  assert.ok(view);
  return view;
}

/** `from`: what differs from an engine that has the run with all these questions. */
function questions(from: Partial<{ view: QuestionPorts['view']; signal: Engine['signal'] }> = {}): {
  readonly all: RunQuestions;
  readonly sent: Signal[];
} {
  const sent: Signal[] = [];
  const engine: Pick<Engine, 'signal' | 'list'> = {
    signal: from.signal ?? (async (_, signal) => void sent.push(signal)),
    list: async () => [asking()],
  };
  const pauses: Pick<Pauses, 'hold' | 'release'> = { hold: () => {}, release: () => {} };
  const all = new RunQuestions({
    engine: engine as Engine,
    pauses: pauses as Pauses,
    view: from.view ?? (async () => asking()),
    journal: {} as Journal,
    now: () => 0,
    random: () => 0.5,
    person: 'ada',
  });
  return { all, sent };
}

describe('a signal that answers a question about a price', () => {
  const cases: [why: string, key: string, answer: string, more: object, refused: RegExp | null][] =
    [
      ['needs a number of tokens for cap', 'ask-1', ' Cap ', {}, /needs a number of tokens/],
      ['has that number with cap', 'ask-1', 'cap', { budgetTokens: 5 }, null],
      [
        'has that number only with cap',
        'ask-1',
        'retry',
        { budgetTokens: 5 },
        /not waiting for a number/,
      ],
      ['names no sum', 'ask-1', 'continue', { budgetUsd: 5 }, /not waiting for a budget/],
      [
        'has no number for another question',
        'issue-1',
        'cap',
        { budgetTokens: 5 },
        /not waiting for a number/,
      ],
      ['may say cap to another question', 'issue-1', 'cap', {}, null],
      ['is left to the engine if the question is not open', 'ask-9', 'cap', {}, null],
    ];
  for (const [why, key, answer, more, refused] of cases)
    test(why, async () => {
      const { all, sent } = questions();
      const signal = { kind: 'answer', key, answer, ...more } as const;
      const given = all.signal(RUN, signal);
      if (refused === null) await given;
      else await assert.rejects(given, { name: 'Refusal', message: refused });
      assert.deepEqual(sent, refused === null ? [{ ...signal, person: 'ada' }] : []);
    });

  test('belongs to the question that names the budget, and to no other', async () => {
    const open = await questions().all.inbox();
    assert.deepEqual(
      open.map((one) => [one.key, one.over?.because ?? null]),
      [
        ['issue-1', null],
        ['ask-1', 'price-unknown'],
        ['ask-2', null],
      ],
    );
  });
});

test('a pause also holds the model calls of child runs, and an unpause releases those that are not paused', async () => {
  const [child, paused] = ['bbbbbbbbbb', 'cccccccccc'] as RunId[] as [RunId, RunId];
  const open = [child, paused].map((run, place) => {
    return { key: `s-${place}`, command: 'run' as const, begunAt: 0, run };
  });
  const views = new Map<string, RunView>([
    [RUN, { ...asking(), open }],
    [child, asking()],
    [paused, { ...asking(), pausedAt: 1 }],
  ]);
  const calls: string[] = [];
  const pauses: Pick<Pauses, 'hold' | 'release'> = {
    hold: (run) => void calls.push(`hold ${run}`),
    release: (run) => void calls.push(`release ${run}`),
  };
  const engine: Pick<Engine, 'signal' | 'get'> = {
    signal: async () => {},
    get: async (run) => views.get(run),
  };
  for (const kind of ['pause', 'unpause'] as const)
    await signalRun(engine, pauses as Pauses, RUN, { kind });
  assert.deepEqual(calls, [
    `hold ${RUN}`,
    `hold ${child}`,
    `hold ${paused}`,
    `release ${RUN}`,
    `release ${child}`,
  ]);
});

describe('a signal that answers a question about a change of high risk', () => {
  const decision: ApprovalDecision = { work: 'w1', by: 'ada', groups: [], channel: 'api' };
  const cases: [why: string, signal: Signal, refused: RegExp | null][] = [
    [
      'is refused as an approval, because it names no approver',
      { kind: 'answer', key: 'ask-2', answer: 'approve' },
      /needs a named approver/,
    ],
    [
      'is refused with a decision that nothing has checked',
      { kind: 'answer', key: 'ask-2', answer: 'approve', decision },
      /cannot contain the decision/,
    ],
    ['may reject it', { kind: 'answer', key: 'ask-2', answer: 'reject' }, null],
  ];
  for (const [why, signal, refused] of cases)
    test(why, async () => {
      const { all, sent } = questions();
      const sending = all.signal(RUN, signal);
      if (refused === null) await sending;
      else await assert.rejects(sending, refused);
      assert.equal(sent.length, refused === null ? 1 : 0);
    });
});

describe('an answer by the name of the run that a person started', () => {
  const step = (run: string): RunView => {
    const open: RunView['open'] = [{ key: 'ask-1', command: 'ask', begunAt: 0, question: '?' }];
    return runViewFixture({ id: run, parent: RUN, open });
  };
  const flow = (...steps: readonly string[]): RunView =>
    runViewFixture({
      id: RUN,
      asksBelow: steps.flatMap((run) => ownQuestions(step(run), RUN, `step ${run}`)),
    });

  test('goes to the question that was found, whatever is asked meanwhile', async () => {
    let now = flow('plan');
    const sent: string[] = [];
    const { all } = questions({
      view: async (run) => (run === RUN ? now : step(run)),
      signal: async (run) => void sent.push(run),
    });
    const asked = await all.asked(RUN, {});
    now = flow('review');
    await all.answer(asked, { choice: 'yes' });
    assert.deepEqual(sent, ['plan']);
  });

  for (const [why, steps, refused] of [
    ['if nothing is asked', [], /has no open question/],
    ['if several runs ask', ['plan', 'review'], /Several runs below .* step plan.*step review/],
  ] as const)
    test(`is refused ${why}`, async () => {
      const { all, sent } = questions({ view: async () => flow(...steps) });
      const asked = await all.asked(RUN, {});
      await assert.rejects(all.answer(asked, { choice: 'yes' }), refused);
      assert.deepEqual(sent, []);
    });
});
