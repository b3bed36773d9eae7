/** The commands that send a message to the agent of a run, and the one that shows what became of it. */
import type { Command } from 'commander';
import { formatClockTime } from '../../../base/format-time.ts';
import { oneLine } from '../../../base/text.ts';
import type { MessageVerb } from '../../../protocol/run-message.ts';
import type { MessageView } from '../../../protocol/views/message-view.ts';
import { messagesDocument } from '../../../public-json/message-documents.ts';
import { describeMessageState } from '../../../reports/message-words.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { findRun, findRunToChange, LAST_RUN, RUN_ARGUMENT } from '../../runs/find-runs.ts';
import type { KeyOption } from '../../options.ts';
import { KEY_OPTION } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';
import { textOf } from '../../tasks/task-words.ts';

type Options = KeyOption & { readonly json: boolean };

export function addSteer(program: Command, context: CliContext, finish: CommandEnding): void {
  const command = program
    .command('steer')
    .description('Send the agent of a run a message while it works, after its current tool call')
    .argument('<run>', RUN_ARGUMENT)
    .argument('<text...>', 'the message; - reads it from standard input')
    .addHelpText('after', helpFor('steer last "keep the old name of the function"'));
  addVerb(command, 'steer', context, finish);
}

export function addQueue(program: Command, context: CliContext, finish: CommandEnding): void {
  const command = program
    .command('queue')
    .description('Send the agent of a run a message that it reads when its turn is over')
    .argument('<run>', RUN_ARGUMENT)
    .argument('<text...>', 'the message; - reads it from standard input')
    .addHelpText('after', helpFor('queue last "then update the README"'));
  addVerb(command, 'queue', context, finish);
}

export function addInterrupt(program: Command, context: CliContext, finish: CommandEnding): void {
  const command = program
    .command('interrupt')
    .description('Stop the turn of an agent now, and let it continue with a message')
    .argument('<run>', RUN_ARGUMENT)
    .argument('[text...]', 'the message; without it, the run asks you what the agent is to do')
    .addHelpText('after', helpFor('interrupt last "stop: the test data is in fixtures"'));
  addVerb(command, 'interrupt', context, finish);
}

function helpFor(example: string): string {
  return `
The command returns when the message is stored. It survives the end of the owner, and is delivered once. See what
became of it with: supervisor messages RUN

Example:
  supervisor ${example}`;
}

function addVerb(
  command: Command,
  verb: MessageVerb,
  context: CliContext,
  finish: CommandEnding,
): void {
  command
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .action(async (reference: string, words: readonly string[], options: Options) => {
      const given = textOf(command, words);
      const text = given === '-' ? await context.stdin() : given;
      await using connection = await connectOwner(context);
      const { client } = connection;
      const run = await findRunToChange(context, client, reference);
      const message = await client.tell(run, { verb, text }, options.idempotencyKey);
      if (options.json) printJson(context, messagesDocument(run, [message]));
      else context.out(`${message.id}  ${describeMessageState(message)}\n`);
      finish(EXIT.ok);
    });
}

export function addMessages(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('messages')
    .description('List the messages to the agent of a run, and whether it has read them')
    .argument('[run]', `${RUN_ARGUMENT}. Default: last`)
    .option('--json', 'print JSON', false)
    .addHelpText('after', MESSAGES_HELP)
    .action(async (reference: string | undefined, { json }: { json: boolean }) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const run = await findRun(context, client, reference ?? LAST_RUN);
      const messages = await client.messages(run);
      if (json) printJson(context, messagesDocument(run, messages));
      else context.out(list(context, messages));
      finish(EXIT.ok);
    });
}

const MESSAGES_HELP = `
A message is queued, then sent, then seen: the gateway found it in a model call of the agent. A message that can not be
delivered now is parked, and its line says why.

Examples:
  supervisor messages
  supervisor messages 0123456789 --json`;

function list(context: CliContext, messages: readonly MessageView[]): string {
  if (messages.length === 0) return 'This run has received no message.\n';
  const now = context.clock.now();
  return messages
    .map((one) => {
      const head = `${one.id}  ${formatClockTime(one.at, now)}  ${one.verb}  ${describeMessageState(one)}`;
      const text = one.text === '' ? [] : [`  ${printable(oneLine(one.text))}`];
      return [paint(context, 'bold', head), ...text].map((line) => `${line}\n`).join('');
    })
    .join('');
}
