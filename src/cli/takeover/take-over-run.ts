/** Takes a run over at this terminal, and asks what follows when the person hands it back. */
import { isRefusal, Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { RawTerminal } from '../../host/output/raw-terminal.ts';
import type { TakeoverEnd, TakeoverItem } from '../../protocol/takeover.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { askQuestion } from '../ask/ask-question.ts';
import { Canceled } from '../ask/canceled.ts';
import type { CliContext, InterruptSignal } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { OwnerConnection } from '../connect-owner.ts';
import { EXIT_BY_SIGNAL } from '../exit-codes.ts';
import { showTerminal } from './show-terminal.ts';

/** How the person left the command: with this code, or the run continues under this owner. */
export type HandedBack =
  | { readonly kind: 'left'; readonly code: number }
  | { readonly kind: 'continues'; readonly client: Client };

type Wanted = { readonly shell: boolean; readonly joins: boolean };

const CHOICES = {
  continue: 'the agent continues, and knows that you were there',
  gates: 'you are done: the gates check the work',
  stop: 'the run ends, and its work is kept',
} as const;

/** A takeover needs a person at a keyboard and a screen. */
export function requireTerminal({ terminal, env }: CliContext): void {
  if (terminal.isTty && process.stdin.isTTY && env['TERM'] !== 'dumb') return;
  throw new Refusal({
    code: 'usage.invalid',
    message: 'A takeover needs a terminal for its input and its output.',
    hint: 'From a script, send the agent a message: supervisor interrupt RUN "text"',
  });
}

export async function takeOverRun(
  context: CliContext,
  connection: OwnerConnection,
  run: string,
  wanted: Wanted,
): Promise<HandedBack> {
  const left = new AbortController();
  let signal: InterruptSignal | undefined;
  const forget = context.onInterrupt((received) => {
    signal = received;
    left.abort();
  });
  let { client } = connection;
  try {
    const ended = await atTerminal(context, client, run, wanted, left.signal);
    if (ended === undefined) return { kind: 'left', code: EXIT_BY_SIGNAL[signal ?? 'SIGINT'] };
    if (ended.failure !== null)
      context.err(`The terminal did not start: ${printable(ended.failure)}\n`);
  } catch (error) {
    if (!isRefusal(error, 'owner.unreachable') || connection.again === undefined) throw error;
    context.err('The owner died, and the agent in your terminal with it. The files are kept.\n');
    client = await connection.again();
  } finally {
    forget();
  }
  return (await handBack(context, client, run)) ?? { kind: 'continues', client };
}

function atTerminal(
  context: CliContext,
  client: Client,
  run: string,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<TakeoverEnd | undefined> {
  const waits = wanted.joins ? 'Preparing' : 'The agent ends its turn';
  context.err(`${paint(context, 'dim', `${waits}. The terminal opens then. Ctrl-C leaves.`)}\n`);
  const ports = {
    client,
    clock: context.clock,
    screen: new RawTerminal(process.stdin, process.stdout),
    term: context.env['TERM'] ?? 'xterm',
    onBegun: (begun: Extract<TakeoverItem, { kind: 'begun' }>) => context.err(intro(run, begun)),
  };
  return showTerminal(run, wanted, ports, signal);
}

const PROGRAMS = {
  conversation: 'the conversation of the agent',
  'new-conversation': 'the agent in a new conversation',
  shell: 'a shell in the sandbox of the agent',
} as const;

function intro(
  run: string,
  { agent, program, instead }: Extract<TakeoverItem, { kind: 'begun' }>,
): string {
  const why = instead === null ? '' : `${printable(instead)} Here is a shell.\n`;
  return `${why}Run ${run}, ${printable(agent)}: ${PROGRAMS[program]}. Leave the program to hand it back, or press Ctrl-] twice.\n`;
}

/** Undefined: the run continues, or has ended. */
async function handBack(
  context: CliContext,
  client: Client,
  run: string,
): Promise<HandedBack | undefined> {
  const question = await findQuestion(client, run);
  if (question === undefined) return undefined;
  const { key, choices } = question;
  try {
    const choice = await askQuestion(context, 'The run waits for your answer.', (prompts, asking) =>
      prompts.select({
        message: question.question,
        options: choices.map((value) => ({
          value,
          label: value,
          hint: CHOICES[value as keyof typeof CHOICES],
        })),
        ...asking,
      }),
    );
    await client.answer(run, { choice: choice, key });
    return undefined;
  } catch (error) {
    if (!(error instanceof Canceled)) throw error;
    context.err(`Answer it later with: supervisor answer ${run} ${choices.join('|')}\n`);
    throw error;
  }
}

/** The question that the run asks after a takeover. Undefined: it has ended, or continues without one. */
async function findQuestion(client: Client, run: string): Promise<OpenQuestion | undefined> {
  const asked = async (): Promise<OpenQuestion | undefined> =>
    (await client.inbox()).find((one) => one.run === run);
  const { seq, endedAt } = await client.run(run);
  if (endedAt !== null) return undefined;
  const found = await asked();
  if (found !== undefined) return found;
  const over = new AbortController();
  for await (const { type, payload } of client.followRun(run, seq, over.signal)) {
    if (type === 'run.ended') return undefined;
    if (type !== 'command.begun') continue;
    if (payload.command === 'ask') return asked();
    if (payload.command !== 'set-cooldown') return undefined;
  }
  return undefined;
}
