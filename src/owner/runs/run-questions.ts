/** Signals of people to runs, and questions of runs to people. */
import { at } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';
import type { Engine } from '../../engine/engine.ts';
import { PersonTerminals } from '../../execution/takeover/person-terminals.ts';
import { accountName } from '../../host/machine/account-home.ts';
import { PERSON_NAME_MAX } from '../../protocol/words/accepted-gate.ts';
import type { AnswerRequest } from '../../protocol/api.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { adviceToQuestion, describePart } from '../../protocol/views/question-words.ts';
import { openQuestions, ownQuestions } from '../../protocol/views/questions-of-run.ts';
import { isContinueAnswer, readBudgetAnswer } from '../../protocol/views/money-question.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { PageChannel } from '../../protocol/dashboard-access.ts';
import type { Signal } from '../../protocol/signal.ts';
import { endsPause } from '../../protocol/signal.ts';
import type { PersonDecision, EditView } from '../../protocol/views/approval-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import type { EditPorts } from '../approvals/edit-work.ts';
import type { Pauses } from '../pauses.ts';
import { OPEN_RUNS_MAX, questionsOf } from './questions-below.ts';
import { refuseWithoutNext } from './refuse-next.ts';
import { RunMessages } from './messages-api.ts';
import { Takeovers } from './takeovers.ts';
import { runsToRetry } from './runs-to-retry.ts';

export type QuestionPorts = {
  readonly engine: Engine;
  readonly pauses: Pauses;
  /** Of people who take agents over. Absent: there are none. */
  readonly terminals?: PersonTerminals;
  readonly view: (run: RunId) => Promise<RunView>;
  readonly journal: Journal;
  readonly now: () => number;
  readonly random: Random;
  /** Whose account the owner runs under. Only this person reaches it. */
  readonly person?: string;
};

export class RunQuestions {
  readonly #engine: Engine;
  readonly #pauses: Pauses;
  readonly #view: (run: RunId) => Promise<RunView>;
  readonly #journal: Journal;
  readonly #now: () => number;
  readonly #person: string;
  /** Messages to the agents of runs. */
  readonly messages: RunMessages;
  /** People who have an agent in their terminal. */
  readonly takeovers: Takeovers;

  constructor(ports: QuestionPorts) {
    const { engine, pauses, view, journal, now, random, person = accountName() } = ports;
    const { terminals = new PersonTerminals() } = ports;
    this.#engine = engine;
    this.#pauses = pauses;
    this.#view = view;
    this.#journal = journal;
    this.#now = now;
    const signal = (run: RunId, one: Signal, mark?: RequestMark): Promise<void> =>
      engine.signal(run, one, mark);
    this.messages = new RunMessages({ journal, random, view, signal });
    this.takeovers = new Takeovers({
      ...{ terminals, view, signal },
      follow: (run, after, over) => engine.follow(run, after, over),
    });
    this.#person = person.slice(0, PERSON_NAME_MAX);
  }

  async signal(
    run: RunId,
    signal: Signal,
    request?: RequestMark,
    channel?: PageChannel,
  ): Promise<void> {
    if (signal.kind === 'answer') {
      if (signal.decision !== undefined) throw decisionNotChecked();
      const open = ownQuestions(await this.#view(run));
      const question = open.find(({ key }) => key === signal.key);
      // The engine refuses an answer to a question that is not open.
      if (question !== undefined) {
        refuseWrongSum(question, signal);
        refuseUnnamedApproval(question, signal.answer);
      }
    }
    if (signal.kind === 'merge-queue') {
      const { checkQueueSignal } = await import('../features/check-queue-signal.ts');
      await checkQueueSignal(this.#journal, await this.#view(run), signal, this.#now());
    }
    if (signal.kind === 'next')
      await refuseWithoutNext(await this.#view(run), this.#journal, this.#now());
    const named = signal.kind === 'answer' ? this.#named(signal, channel) : signal;
    const [first = run, ...others] =
      signal.kind === 'retry-now' ? await runsToRetry(run, this.#view) : [run];
    await signalRun(this.#engine, this.#pauses, first, named, request);
    for (const other of others) await signalRun(this.#engine, this.#pauses, other, named);
  }

  /** What a client says about the person and the page does not count. */
  #named(answer: Extract<Signal, { kind: 'answer' }>, channel: PageChannel | undefined): Signal {
    const { channel: _, ...said } = answer;
    return { ...said, person: this.#person, ...defined({ channel }) };
  }

  /** Sends the decision of a person about an approval, after it was checked. */
  async decide(
    run: RunId,
    request: PersonDecision,
    editing: EditPorts,
    mark?: RequestMark,
  ): Promise<void> {
    const { decideApproval } = await import('../approvals/decide-approval.ts');
    const { takeEdit } = await import('../approvals/edit-work.ts');
    await decideApproval(run, request, {
      home: editing.home,
      now: () => at(this.#now()),
      questions: async (id) => ownQuestions(await this.#view(id)),
      takeEdit: (id, work) => takeEdit(id, work, editing),
      signal: (id, signal) => signalRun(this.#engine, this.#pauses, id, signal, mark),
    });
  }

  /** The checkout in which a person changes the work that a question is about. */
  async edit(run: RunId, editing: EditPorts): Promise<EditView> {
    const { requireEditable } = await import('../approvals/decide-approval.ts');
    const { openEdit } = await import('../approvals/edit-work.ts');
    const { project, work } = requireEditable(run, ownQuestions(await this.#view(run)));
    return openEdit(run, project, work, editing);
  }

  /** The open questions of all runs, oldest first. */
  async inbox(): Promise<readonly OpenQuestion[]> {
    const views = await this.#engine.list({ ended: false, limit: OPEN_RUNS_MAX });
    return questionsOf(views);
  }

  /** The question that an answer to this run is for, or why it is for none. It is looked for once: another may open later. */
  async asked(run: RunId, { key }: Pick<AnswerRequest, 'key'>): Promise<OpenQuestion | Refusal> {
    return findQuestion(await this.#view(run), key);
  }

  async answer(
    asked: OpenQuestion | Refusal,
    { choice, budgetUsd, budgetTokens }: AnswerRequest,
    request?: RequestMark,
    channel?: PageChannel,
  ): Promise<void> {
    if (asked instanceof Refusal) throw asked;
    const { run, key, choices } = asked;
    if (choices.length > 0 && !choices.includes(choice)) throw invalidChoice(choice, choices);
    const more = defined({ budgetUsd, budgetTokens });
    const answer = { kind: 'answer', key, answer: choice, ...more } as const;
    await this.signal(run as RunId, answer, request, channel);
  }
}

/** A person may answer a run that they started for the run below it that asks, if there is only one. A key is its own. */
function findQuestion(view: RunView, key: string | undefined): OpenQuestion | Refusal {
  const all =
    key === undefined ? openQuestions(view) : ownQuestions(view).filter((one) => one.key === key);
  const [first, second] = all;
  if (first === undefined) return noOpenQuestion(view.id as RunId);
  if (first.run !== view.id && second !== undefined) return severalAsk(view.id, first, all);
  return first;
}

/** An answer about money has a sum or a number of tokens exactly if that has a meaning. */
function refuseWrongSum(
  { run, over }: OpenQuestion,
  { answer, budgetUsd, budgetTokens }: Extract<Signal, { kind: 'answer' }>,
): void {
  const raised = over?.because === 'spent' && isContinueAnswer(answer) ? over.limit : null;
  if (budgetUsd !== undefined && raised !== 'usd') throw notABudgetQuestion(run);
  const caps = over?.because === 'price-unknown' && readBudgetAnswer(answer) === 'cap';
  if (caps && budgetTokens === undefined) throw noTokens();
  if (budgetTokens !== undefined && !caps && raised !== 'tokens') throw noTokensHere(run);
}

/** Sends a signal. When it is durable, a pause also applies to a running agent, and to those of its child runs. */
export async function signalRun(
  engine: Pick<Engine, 'signal' | 'get'>,
  pauses: Pauses,
  run: RunId,
  signal: Signal,
  request?: RequestMark,
): Promise<void> {
  await engine.signal(run, signal, request);
  await holdCalls(engine, pauses, run, signal);
}

/** The engine has passed the signal on to the child runs. One that a person paused stays paused. */
async function holdCalls(
  engine: Pick<Engine, 'get'>,
  pauses: Pauses,
  run: RunId,
  signal: Signal,
): Promise<void> {
  if (signal.kind !== 'pause' && signal.kind !== 'unpause') {
    if (endsPause(signal)) pauses.release(run);
    return;
  }
  const view = await engine.get(run);
  if (signal.kind === 'pause') pauses.hold(run);
  else if (view === undefined || view.pausedAt === null) pauses.release(run);
  for (const { run: child } of view?.open ?? [])
    if (child !== undefined) await holdCalls(engine, pauses, child as RunId, signal);
}

/** A named person approves with `supervisor approve --as`, which checks their secret. */
function refuseUnnamedApproval({ run, approval }: OpenQuestion, answer: string): void {
  const tier = approval?.needs?.tier;
  if (answer.trim() !== 'approve' || (tier !== 'high' && tier !== 'critical')) return;
  throw new Refusal({
    code: 'approval.not-allowed',
    message: `A change of ${tier} risk needs a named approver.`,
    hint: `Approve as one of the approvers: supervisor approve ${run} --as NAME`,
  });
}

function decisionNotChecked(): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: 'A signal cannot contain the decision about an approval.',
    hint: 'Send it to /v1/runs/ID/decision, or run: supervisor approve ID',
  });
}

export function noOpenQuestion(run: RunId): Refusal {
  return new Refusal({
    code: 'run.asks-nothing',
    message: `Run ${run} has no open question.`,
    hint: 'To see all open questions: supervisor inbox',
  });
}

function severalAsk(run: string, first: OpenQuestion, all: readonly OpenQuestion[]): Refusal {
  const which = all.map((one) => describePart(one)).join('; ');
  return new Refusal({
    code: 'request.invalid',
    message: `Several runs below ${run} ask something: ${which}.`,
    hint: adviceToQuestion(first),
  });
}

function invalidChoice(choice: string, choices: readonly string[]): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `${JSON.stringify(choice)} is not a possible answer to this question.`,
    hint: `Answer with one of: ${choices.join(', ')}`,
  });
}

function noTokens(): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: 'The answer cap needs a number of tokens.',
    hint: 'Add it with: --budget-tokens 2000000',
  });
}

function noTokensHere(run: string): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${run} is not waiting for a number of tokens with this answer.`,
    hint: 'Omit --budget-tokens. It belongs to continue if a budget in tokens is spent, and to cap if a price is unknown.',
  });
}

function notABudgetQuestion(run: string): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${run} is not waiting for a budget in US dollars.`,
    hint: 'Omit --budget-usd.',
  });
}
