/** What people tell the runs, and what the runs ask of people. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AnswerRequest, OpenQuestion } from '../../protocol/api.ts';
import { isContinueAnswer } from '../../protocol/views/budget-view.ts';
import type { RequestMark, Signal } from '../../protocol/event.ts';
import { endsPause } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Pauses } from '../pauses.ts';

const RUNS_MAX = 10_000;

export class RunQuestions {
  readonly #engine: Engine;
  readonly #pauses: Pauses;
  readonly #view: (run: RunId) => Promise<RunView>;

  constructor(engine: Engine, pauses: Pauses, view: (run: RunId) => Promise<RunView>) {
    this.#engine = engine;
    this.#pauses = pauses;
    this.#view = view;
  }

  signal(run: RunId, signal: Signal, request?: RequestMark): Promise<void> {
    return signalRun(this.#engine, this.#pauses, run, signal, request);
  }

  /** The open questions of all runs, oldest first. */
  async inbox(): Promise<readonly OpenQuestion[]> {
    const views = await this.#engine.list({ ended: false, limit: RUNS_MAX });
    return views.flatMap(questionsOf).toSorted((a, b) => a.since - b.since);
  }

  async answer(
    run: RunId,
    { choice, key, budgetUsd }: AnswerRequest,
    request?: RequestMark,
  ): Promise<void> {
    const open = questionsOf(await this.#view(run));
    const question = key === undefined ? open[0] : open.find((one) => one.key === key);
    if (question === undefined) throw nothingAsked(run);
    const { choices, over } = question;
    if (choices.length > 0 && !choices.includes(choice)) throw noChoice(choice, choices);
    const isRaise = over?.limit === 'usd' && over.because === 'spent' && isContinueAnswer(choice);
    if (budgetUsd !== undefined && !isRaise) throw noUsd(run);
    const more = budgetUsd === undefined ? {} : { budgetUsd };
    const answer = { kind: 'answer', key: question.key, answer: choice, ...more } as const;
    await this.signal(run, answer, request);
  }
}

/** Once it is durable, an agent that is at work feels it too. */
export async function signalRun(
  engine: Pick<Engine, 'signal'>,
  pauses: Pauses,
  run: RunId,
  signal: Signal,
  request?: RequestMark,
): Promise<void> {
  await engine.signal(run, signal, request);
  if (signal.kind === 'pause') pauses.hold(run);
  if (endsPause(signal)) pauses.release(run);
}

function questionsOf({ id, task, project, open, budget }: RunView): readonly OpenQuestion[] {
  return open.flatMap(({ key, command, begunAt, question = '', choices = [] }) =>
    command === 'ask'
      ? [{ run: id, key, task, project, question, choices, since: begunAt, over: budget.over }]
      : [],
  );
}

function nothingAsked(run: RunId): Refusal {
  return new Refusal({
    code: 'run.asks-nothing',
    message: `Run ${run} has no open question.`,
    hint: 'See what is asked with: supervisor inbox',
  });
}

function noChoice(choice: string, choices: readonly string[]): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `${JSON.stringify(choice)} is no answer to that.`,
    hint: `Say one of: ${choices.join(', ')}`,
  });
}

function noUsd(run: RunId): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${run} does not wait for a budget in US dollars.`,
    hint: 'Leave out --budget-usd.',
  });
}
