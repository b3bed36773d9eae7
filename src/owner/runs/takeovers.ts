/** People who take the agent of a run over at their terminal. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { PersonTerminal } from '../../execution/takeover/person-terminal.ts';
import type { PersonTerminals } from '../../execution/takeover/person-terminals.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { ATTEMPTS_PROGRAM } from '../../protocol/run-submission.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { TakeoverInput, TakeoverItem, TakeoverQuery } from '../../protocol/takeover.ts';
import type { RunView } from '../../protocol/views/run-view.ts';

export type TakeoversPorts = {
  readonly terminals: PersonTerminals;
  readonly view: (run: RunId) => Promise<RunView>;
  /** Resolves when the signal is durable. */
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  readonly follow: (run: RunId, after: number, signal: AbortSignal) => AsyncIterable<StoredEvent>;
};

export class Takeovers {
  readonly #ports: TakeoversPorts;

  constructor(ports: TakeoversPorts) {
    this.#ports = ports;
  }

  /** Yields what happens in the terminal until the takeover is over. If `signal` aborts, the terminal is gone. */
  async *take(
    run: RunId,
    { rows, columns, term, shell, joins }: TakeoverQuery,
    signal: AbortSignal,
  ): AsyncGenerator<TakeoverItem, void> {
    const { terminals, view: viewOf } = this.#ports;
    const view = await viewOf(run);
    refuseIfNotTaken(view, joins);
    const terminal = terminals.open(run, { size: { rows, columns }, term });
    const over = new AbortController();
    const lost = (): void => terminal.leave('lost');
    signal.addEventListener('abort', lost, { once: true });
    if (signal.aborted) lost();
    try {
      if (!joins)
        await this.#ports.signal(run, { kind: 'takeover', ...(shell && { shell: true }) });
      const follow = this.#ports.follow(run, view.seq, AbortSignal.any([signal, over.signal]));
      void endWhenOver(follow, terminal, joins);
      yield* terminal.items();
    } finally {
      signal.removeEventListener('abort', lost);
      over.abort();
      terminal.leave('lost'); // has no effect if the takeover is over
      terminals.close(run, terminal);
    }
  }

  /** Refuses if no terminal is there. */
  async type(run: RunId, input: TakeoverInput): Promise<void> {
    const terminal = this.#ports.terminals.find(run);
    if (terminal === undefined) throw notTakenOver(run);
    if ('leave' in input) terminal.leave('left');
    else if ('data' in input) await terminal.type(Buffer.from(input.data, 'base64'));
    else await terminal.resize(input);
  }
}

/** A run that continues or ends without this terminal would leave the person waiting. */
async function endWhenOver(
  events: AsyncIterable<StoredEvent>,
  terminal: PersonTerminal,
  joins: boolean,
): Promise<void> {
  try {
    for await (const event of events)
      if (event.type === 'run.ended' || (joins && endsJoined(event))) break;
  } catch {
    // The run has broken, and its terminal is of no use any more.
  }
  // Has no effect if the takeover is over.
  terminal.end({ kind: 'ended', how: 'stopped', exit: null, failure: null });
}

/** The attempt that waited for the terminal is over, or the run asks what follows it. */
function endsJoined({ type, payload }: StoredEvent): boolean {
  if (type === 'command.ended') return payload.command === 'attempt';
  return type === 'command.begun' && payload.command === 'ask' && payload.input.about !== 'keys';
}

const isOver = ({ command, question, takenOver }: RunView['open'][number]): boolean =>
  question !== undefined || (command === 'attempt' && takenOver !== true);

/** `joins`: the run was submitted for this terminal. */
function refuseIfNotTaken({ id, program, endedAt, name, open, ...view }: RunView, joins: boolean) {
  if (endedAt !== null || view.stopAskedAt !== null)
    throw new Refusal({
      code: 'run.already-ended',
      message: `Run ${id} has ${endedAt === null ? 'been stopped' : 'ended'}, so there is no agent to take over.`,
      hint: `Continue it in your terminal with: supervisor resume ${id} --detach, and then supervisor takeover with the new id`,
    });
  if (program === AGENT_PROGRAM)
    throw new Refusal({
      code: 'request.invalid',
      message: `${name ?? id} is a long-lived agent, which works in turns and can not be taken over.`,
      hint: `Send it a message with: supervisor send ${name ?? id} "keep the old name"`,
    });
  if (program !== ATTEMPTS_PROGRAM) throw startsOthers(id, open);
  if (view.pausedAt !== null)
    throw new Refusal({
      code: 'request.invalid',
      message: `Run ${id} is paused, so nothing can start in it.`,
      hint: `Continue it with: supervisor unpause ${id}`,
    });
  if (open.some(({ about }) => about === 'keys'))
    throw new Refusal({
      code: 'agent.no-key',
      message: `Run ${id} waits for a key, and its agent can not start without it.`,
      hint: `Give the key with: supervisor resume ${id}`,
    });
  if (joins && open.some(isOver))
    throw new Refusal({
      code: 'request.invalid',
      message: `Run ${id} no longer waits for a terminal.`,
      hint: `Take it over with: supervisor takeover ${id}`,
    });
  if (!joins && open.some(({ takenOver }) => takenOver === true))
    throw new Refusal({
      code: 'run.taken-over',
      message: `Run ${id} is already in the terminal of a person.`,
      hint: `Look on with: supervisor attach ${id}`,
    });
}

/** The agents of a workflow work in runs of their own. */
function startsOthers(id: string, open: RunView['open']): Refusal {
  const child = open.find(({ run }) => run !== undefined)?.run;
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${id} has no agent of its own: its steps are runs.`,
    hint:
      child === undefined
        ? `See which step runs with: supervisor status ${id}`
        : `Take over the run of the step: supervisor takeover ${child}`,
  });
}

function notTakenOver(run: RunId): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${run} is in no terminal.`,
    hint: `Take it over with: supervisor takeover ${run}`,
  });
}
