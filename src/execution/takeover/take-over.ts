/**
 * Performs an attempt that a person has in their terminal. It has the sandbox, the gateway and the budget of any
 * attempt. No deadline ends it, and nothing that the agent says there is an outcome: the person decides what follows.
 */
import { Refusal } from '../../base/errors.ts';
import type {
  AttemptOutcome,
  TakeoverEndedNote,
} from '../../protocol/contracts/attempt-contract.ts';
import type { ContainerState } from '../../failures/evidence.ts';
import type { TakeoverEnd } from '../../protocol/takeover.ts';
import type { RunningAgent } from '../environments/environment.ts';
import type { PreparedAttempt } from '../prepare-attempt.ts';
import { describeRefusal, refusalOr, startRefused } from '../refusal-outcome.ts';
import { noteStart } from '../run-agent.ts';
import { waitForEnd } from '../wait-for-end.ts';
import type { PersonTerminal } from './person-terminal.ts';
import { terminalInvocation } from './terminal-invocation.ts';

type Outcome = Exclude<AttemptOutcome, { kind: 'completed' }>;

export async function takeOver(attempt: PreparedAttempt): Promise<Outcome> {
  const { request, context, ports } = attempt;
  const stopped = AbortSignal.any([context.cancelSignal, context.killSignal]);
  const terminal = await ports.terminals?.waitFor(request.run, ports.clock, stopped);
  if (terminal === undefined) return endWith(attempt, 'no-terminal', null);
  // The program may wait for a command that does not read. A stop does not.
  const end = (): void => terminal.end(ENDED);
  stopped.addEventListener('abort', end, { once: true });
  if (stopped.aborted) end();
  try {
    return await inTerminal(attempt, terminal, stopped);
  } finally {
    stopped.removeEventListener('abort', end);
    end(); // it has ended already, unless something threw
  }
}

const ENDED: TakeoverEnd = { kind: 'ended', how: 'stopped', exit: null, failure: null };

async function inTerminal(
  attempt: PreparedAttempt,
  terminal: PersonTerminal,
  stopped: AbortSignal,
): Promise<Outcome> {
  const { request, input, environment, context, ports } = attempt;
  const { size, term } = terminal;
  const { invocation, session, program, instead } = terminalInvocation(attempt, term);
  if (session !== null) await context.note({ kind: 'session', session });
  const show = (bytes: Uint8Array): Promise<void> => terminal.show(bytes);
  const started = await refusalOr(
    environment.start(
      { ...invocation, prompt: input.prompt, terminal: size },
      { onStdout: show, onStderr: show },
      context.cancelSignal,
    ),
  );
  if (started instanceof Refusal) return notStarted(terminal, describeRefusal(started));
  attempt.reportActivity({ kind: 'turn-begun', folder: environment.tree.folder });
  const begun = {
    ...({ kind: 'begun', agent: input.agent.id, attempt: input.number } as const),
    ...{ program, instead },
  };
  const [{ exit, container }] = await Promise.all([
    untilEnd(started, terminal, attempt),
    connect(started, terminal, begun),
    noteStart(started, attempt, { takesMessages: false }),
  ]);
  attempt.reportActivity({ kind: 'turn-ended' });
  if (exit.kind === 'not-started') return notStarted(terminal, exit.message);
  const how = howEnded(stopped.aborted, terminal, container);
  const code = exit.kind === 'code' && how === 'program-ended' ? exit.code : null;
  terminal.end({ kind: 'ended', how, exit: code, failure: null });
  ports.terminals?.close(request.run, terminal);
  return endWith(attempt, how, code);
}

/** A stop and the person come first: what a program does while it is ended is no cause. */
export function howEnded(
  isStopped: boolean,
  { gone, how }: Pick<PersonTerminal, 'gone' | 'how'>,
  container: ContainerState | null,
): TakeoverEndedNote['how'] {
  if (isStopped) return 'stopped';
  if (gone.aborted) return how;
  if (container?.oomKilled === true) return 'out-of-memory';
  return container?.overLimit === undefined ? 'program-ended' : 'disk-limit';
}

/** A program that no person can reach must not continue. */
async function connect(
  { terminal: agent, kill }: RunningAgent,
  terminal: PersonTerminal,
  begun: Parameters<PersonTerminal['connect']>[1],
): Promise<void> {
  try {
    if (agent !== undefined) await terminal.connect(agent, begun);
  } catch (error) {
    await kill();
    throw error;
  }
}

/** The person's leave ends it as a stop does. Their run is not stopped. */
function untilEnd(
  started: RunningAgent,
  terminal: PersonTerminal,
  { input, context, ports }: PreparedAttempt,
): ReturnType<typeof waitForEnd> {
  const never = new AbortController().signal;
  return waitForEnd(
    started,
    { graceMs: input.graceMs, deadlineMs: null, askSignal: 'SIGTERM', giveUpSignal: never },
    {
      cancelSignal: AbortSignal.any([context.cancelSignal, terminal.gone]),
      killSignal: context.killSignal,
    },
    ports.clock,
  );
}

function notStarted(terminal: PersonTerminal, failure: string): Outcome {
  terminal.end({ kind: 'ended', how: 'stopped', exit: null, failure });
  return startRefused(failure);
}

async function endWith(
  { context }: PreparedAttempt,
  how: TakeoverEndedNote['how'],
  exit: number | null,
): Promise<Outcome> {
  await context.note({ kind: 'takeover-ended', how, exit });
  return { kind: 'stopped' };
}
