/** Messages of people to the agents of runs, and what became of each. */
import { attemptsProgram } from '../../attempts/attempts-program.ts';
import type { AttemptsState } from '../../attempts/attempts-state.ts';
import { messagesOf } from '../../attempts/run-messages.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';
import { randomInt } from '../../base/random.ts';
import { shellWord } from '../../base/shell-words.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import { cleanText } from '../../messages/message-text.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { RunMessage, TellRequest } from '../../protocol/run-message.ts';
import { RUN_MESSAGES_MAX } from '../../protocol/run-message.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { MessageView } from '../../protocol/views/message-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';

export type RunMessagesPorts = {
  readonly journal: Journal;
  readonly random: Random;
  readonly view: (run: RunId) => Promise<RunView>;
  /** Resolves when the signal is durable. */
  readonly signal: (run: RunId, signal: Signal, request?: RequestMark) => Promise<void>;
};

const ID_DIGITS = 8;

export class RunMessages {
  readonly #ports: RunMessagesPorts;

  constructor(ports: RunMessagesPorts) {
    this.#ports = ports;
  }

  /** Resolves when the message is durable. */
  async send(run: RunId, request: TellRequest, mark?: RequestMark): Promise<MessageView> {
    const { random, view, signal } = this.#ports;
    const text = cleanText(request.text ?? '');
    const { verb } = request;
    refuseIfNotTold(await view(run), verb, text);
    const before = await this.list(run);
    if (before.length >= RUN_MESSAGES_MAX) throw tooMany(run);
    const digits = Array.from({ length: ID_DIGITS }, () => randomInt(random, 0, 15).toString(16));
    const message: RunMessage = { id: digits.join(''), verb, origin: 'person', text };
    await signal(run, { kind: 'tell', message }, mark);
    return this.#find(run, message.id);
  }

  /** The message of a request that was sent before. */
  async sentBy(run: RunId, fact: StoredEvent): Promise<MessageView> {
    if (fact.type !== 'signal.received' || fact.payload.signal.kind !== 'tell')
      throw new Error(`the request of ${fact.stream} sent no message`);
    return this.#find(run, fact.payload.signal.message.id);
  }

  /** Oldest first. A run that continues another has the messages of that one too. */
  async list(run: RunId): Promise<readonly MessageView[]> {
    const { program } = await this.#ports.view(run);
    if (program !== attemptsProgram.name) return [];
    const loaded = await loadRun(this.#ports.journal, attemptsProgram, run);
    return loaded === undefined ? [] : messagesOf(loaded.state as unknown as AttemptsState).all;
  }

  async #find(run: RunId, id: string): Promise<MessageView> {
    const found = (await this.list(run)).find((one) => one.id === id);
    if (found === undefined) throw new Error(`run ${run} has no message ${id}`);
    return found;
  }
}

function refuseIfNotTold(view: RunView, verb: RunMessage['verb'], text: string): void {
  const { id, program, endedAt, name, open, stopAskedAt } = view;
  if (endedAt !== null || stopAskedAt !== null) throw hasEnded(id, text, endedAt === null);
  if (program === AGENT_PROGRAM) throw isLongLived(id, name ?? id);
  if (program !== attemptsProgram.name)
    throw startsOthers(
      id,
      verb,
      open.flatMap(({ run }) => (run === undefined ? [] : [run])),
    );
  if (text === '' && verb !== 'interrupt')
    throw new Refusal({
      code: 'request.invalid',
      message: 'The message is empty.',
      hint: `Say what the agent is to know: supervisor ${verb} ${id} "keep the old name"`,
    });
}

function hasEnded(id: string, text: string, isStopping: boolean): Refusal {
  const words = text === '' ? '"keep the old name"' : shellWord(text);
  return new Refusal({
    code: 'run.already-ended',
    message: isStopping
      ? `Run ${id} is being stopped, so its agent gets no message any more.`
      : `Run ${id} has already ended, so its agent gets no message any more.`,
    hint: `To continue it with the message: supervisor resume ${id} --message ${words}`,
  });
}

function isLongLived(id: string, name: string): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${id} is a long-lived agent, which reads its messages in its next turn.`,
    hint: `Send it the message with: supervisor send ${shellWord(name)} "keep the old name"`,
  });
}

/** The agents of a workflow work in runs of their own. */
function startsOthers(id: string, verb: string, children: readonly string[]): Refusal {
  const [child] = children;
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${id} has no agent of its own: its steps are runs.`,
    hint:
      child === undefined
        ? `See which step runs with: supervisor status ${id}`
        : `Name the run of the step: supervisor ${verb} ${child} "keep the old name"`,
  });
}

function tooMany(id: string): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${id} has received ${RUN_MESSAGES_MAX} messages, which is the most that a run takes.`,
    hint: `See what became of them with: supervisor messages ${id}`,
  });
}
