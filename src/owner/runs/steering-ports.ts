/** The owner's part of the one injector: it turns words of a program into a message of a run. */
import { attemptsProgram } from '../../attempts/attempts-program.ts';
import type { AttemptsState } from '../../attempts/attempts-state.ts';
import { messagesOf } from '../../attempts/run-messages.ts';
import type { Refusal } from '../../base/errors.ts';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import type { SteeringPorts } from '../../execution/turns/attempt-turns.ts';
import { messageOf, refuseWords } from '../../messages/admit-words.ts';
import { cleanText } from '../../messages/message-text.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { MessagesState } from '../../protocol/views/message-view.ts';
import type { Injected, InjectedWords } from '../../steering/injector.ts';
import type { Journal } from '../../store/journal.ts';
import { HealthyRuns } from './healthy-runs.ts';
import { SteeringNumbers } from './steering-numbers.ts';
import type { Pauses } from '../pauses.ts';

const FROM_STEERING = 'the steering of this agent';

type WordsPorts = {
  readonly journal: Journal;
  /** Resolves when the signal is durable. */
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
};

export function steeringPorts(
  ports: WordsPorts & { readonly pauses: Pick<Pauses, 'hold'> },
): SteeringPorts {
  const numbers = new SteeringNumbers(() => ports.journal);
  const healthy = new HealthyRuns(ports.journal);
  return {
    numbers: () => numbers.read(),
    healthy: () => healthy.read(),
    inject: (run, words) => injectWords(ports, run, words),
    pause: async (run) => {
      const isPaused = await unlessRefused(ports.signal(run, { kind: 'pause' }));
      if (isPaused === undefined) ports.pauses.hold(run);
    },
  };
}

/** Resolves when the message is durable. What can't be said is an answer, never an error. */
async function injectWords(ports: WordsPorts, run: RunId, words: InjectedWords): Promise<Injected> {
  const { journal, signal } = ports;
  const before = await readMessages(journal, run);
  if (before === undefined) return tellLongLived(ports, run, words);
  const refused = refuseWords(before, words);
  if (refused !== undefined) return refused;
  const message = messageOf(run, { ...words, text: cleanText(words.text) });
  const ended = await unlessRefused(signal(run, { kind: 'tell', message }));
  if (ended !== undefined) return { kind: 'undelivered', why: ended.message };
  const { all } = (await readMessages(journal, run)) ?? before;
  const now = all.find(({ id }) => id === message.id);
  if (now?.state === 'parked') return { kind: 'parked', message: message.id, why: now.why ?? '' };
  return { kind: 'queued', message: message.id };
}

/** No CLI takes words within a turn of a long-lived agent. An urgent message begins its next turn at once. */
async function tellLongLived(
  { journal, signal }: WordsPorts,
  run: RunId,
  words: InjectedWords,
): Promise<Injected> {
  if ((await journal.run(run))?.program !== AGENT_PROGRAM)
    return { kind: 'undelivered', why: 'the run has no agent of its own' };
  const refused = refuseWords({ all: [] }, words);
  if (refused !== undefined) return refused;
  const { id, text } = messageOf(run, { ...words, text: cleanText(words.text) });
  const message: Signal = { kind: 'message', from: FROM_STEERING, text, urgent: true };
  const ended = await unlessRefused(signal(run, message));
  return ended === undefined
    ? { kind: 'queued', message: id }
    : { kind: 'undelivered', why: ended.message };
}

/** Undefined: the run has no agent of its own. */
async function readMessages(journal: Journal, run: RunId): Promise<MessagesState | undefined> {
  const view = await journal.run(run);
  if (view?.program !== attemptsProgram.name) return undefined;
  const loaded = await loadRun(journal, attemptsProgram, run);
  return loaded === undefined ? undefined : messagesOf(loaded.state as unknown as AttemptsState);
}

/** A run that has ended takes no signal. */
async function unlessRefused(sent: Promise<void>): Promise<Refusal | undefined> {
  try {
    await sent;
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error;
  }
}
