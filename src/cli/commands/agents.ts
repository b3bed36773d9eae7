/** The commands for long-lived agents: spawn, send, reject, dismiss. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-words.ts';
import type { AgentView } from '../../protocol/views/agent-view.ts';
import { AGENT_KINDS } from '../../protocol/long-lived-agent.ts';
import { askForTrust, UNTRUSTED_OPTION } from '../ask/ask-trust.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { PROJECT_OPTION, projectDir } from '../input/project-path.ts';
import type { KeyOption } from '../options.ts';
import { restartOption, ruleOptions, sandboxOption } from '../input/agent-options.ts';
import { collect, usd, wholeNumber, KEY_OPTION } from '../options.ts';
import type { CommandEnding } from '../command-line.ts';
import { refuseHelpAsTask, textOf } from '../tasks/task-words.ts';
import { connectOwner } from '../connect-owner.ts';
import { agentDocument } from '../../public-json/agent-documents.ts';
import { printJson } from '../json/print-json.ts';
import { explainRejection, rejectChange } from './work/decide-changes.ts';

type SpawnOptions = KeyOption & {
  readonly name?: string;
  readonly kind?: AgentView['kind'];
  readonly parent?: string;
  readonly model?: string;
  readonly agent?: string;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly sandbox: readonly string[];
  readonly restart: readonly string[];
  readonly rule: readonly string[];
  readonly commitment: readonly string[];
  readonly queue?: string;
  readonly onDone?: 'dismiss' | 'wait' | 'next';
  readonly project?: string;
  readonly unsafeNoSandbox: boolean;
  readonly untrusted: boolean;
  readonly set: readonly string[];
  readonly json: boolean;
};

export function addSpawn(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('spawn')
    .description('Start a long-lived agent. If it fails, it is restarted until its task is done.')
    .argument('<assignment...>', 'its task in plain words; - reads it from standard input')
    .option('--name <name>', 'a name, unique among the active agents of the project')
    .addOption(
      new Option('-k, --kind <kind>', 'the kind, which decides how it is restarted').choices(
        AGENT_KINDS,
      ),
    )
    .option('--parent <agent>', "the parent agent (default: the project's root agent, if any)")
    .option('--model <model>', 'the model to use')
    .option('-a, --agent <id>', 'the configured agent to run')
    .option('--budget-usd <amount>', 'cost limit for its model calls', usd)
    .option('--budget-tokens <count>', 'token limit for its model calls', wholeNumber)
    .option(
      '--sandbox <key=value>',
      'what it can use: network, memory, cpus, pids, mount; repeatable',
      collect,
      [],
    )
    .option(
      '--restart <key=value>',
      'how it is restarted: a type, restarts, within; repeatable',
      collect,
      [],
    )
    .option(
      '--rule <action:condition=value>',
      'a rule that it must not break; repeatable',
      collect,
      [],
    )
    .option(
      '--commitment <what=command>',
      'a promise, and the command that proves it when the agent is done; repeatable',
      collect,
      [],
    )
    .option('--queue <dir>', 'a folder with tasks, one file per task')
    .addOption(
      new Option(
        '--on-done <what>',
        'what to do when it is done (default: dismiss, or next with a queue)',
      ).choices(['dismiss', 'wait', 'next']),
    )
    .option('--unsafe-no-sandbox', 'run the agent without a sandbox, with all your rights', false)
    .option(...UNTRUSTED_OPTION)
    .option(...PROJECT_OPTION)
    .option('-s, --set <key=value>', 'override a setting for this agent; repeatable', collect, [])
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', SPAWN_HELP)
    .action(async (words: readonly string[], options: SpawnOptions, command: Command) => {
      const given = textOf(command, words);
      refuseHelpAsTask(given, 'spawn');
      const assignment = given === '-' ? await context.stdin() : given;
      if (assignment.trim() === '')
        throw new Refusal({
          code: 'usage.invalid',
          message: 'The assignment is empty.',
          hint: 'Describe the work: supervisor spawn "keep the docs in order"',
        });
      const { name, kind, parent, model, agent, budgetUsd, queue, onDone } = options;
      const project = projectDir(context, options.project);
      const trust = await askForTrust(context, project, options);
      await using connection = await connectOwner(context, { creates: true });
      const request = {
        assignment,
        project,
        ...trust,
        set: [...options.set],
        ...defined({
          name,
          kind,
          parent,
          model,
          agent,
          budgetUsd,
          budgetTokens: options.budgetTokens,
          sandbox: sandboxOption(options.sandbox),
          restart: restartOption(options.restart),
          violations: ruleOptions(options.rule),
          queue: queue === undefined ? undefined : resolve(context.cwd, queue),
          onDone,
          unsafe: options.unsafeNoSandbox || undefined,
          commitments:
            options.commitment.length === 0 ? undefined : options.commitment.map(commitment),
        }),
      };
      const view = await connection.client.agents.spawn(request, options.idempotencyKey);
      printAgent(context, view, options.json);
      finish(EXIT.ok);
    });
}

const SPAWN_HELP = `
The owner keeps running as long as there is an active agent. List the agents with: supervisor tree

Examples:
  supervisor spawn "keep the docs in order" --name docs --agent scripted
  supervisor spawn "fix the flaky test" --commitment "the tests pass=npm test"
  supervisor spawn "work through the tasks" --queue ./tasks --on-done next
  supervisor spawn "tidy up" --restart temporary --rule "reap:command=git push"`;

type Options = KeyOption & { readonly project?: string; readonly json: boolean };

export function addSend(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('send')
    .description('Send a message to a long-lived agent. It receives the message in its next turn.')
    .argument('<agent>', 'the id or name of the agent')
    .argument('<text...>', 'the message; - reads it from standard input')
    .option(
      '-p, --project <dir>',
      "the agent's project (default: the project of the current folder)",
    )
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor send docs "look at the README first"')
    .action(async (id: string, words: readonly string[], options: Options, command: Command) => {
      const { project, json, idempotencyKey } = options;
      requireAgentName(id);
      const text = await givenText(context, command, id, words);
      await using connection = await connectOwner(context);
      const { agents } = connection.client;
      const view = await agents.send(id, text, projectDir(context, project), idempotencyKey);
      printAgent(context, view, json);
      finish(EXIT.ok);
    });
}

export function addDismiss(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('dismiss')
    .description('Stop a long-lived agent and its children. Its work and history are kept.')
    .argument('<agent>', 'the id or name of the agent')
    .option('--because <reason>', 'the reason, recorded in its history')
    .option(
      '-p, --project <dir>',
      "the agent's project (default: the project of the current folder)",
    )
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor dismiss docs')
    .action(async (id: string, options: Options & { readonly because?: string }) => {
      const { project, because, json, idempotencyKey } = options;
      requireAgentName(id);
      await using connection = await connectOwner(context);
      const { agents } = connection.client;
      const at = projectDir(context, project);
      printAgent(context, await agents.dismiss(id, because, at, idempotencyKey), json);
      finish(EXIT.ok);
    });
}

type RejectOptions = Options & { readonly reason?: string };

export function addReject(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('reject')
    .description('Reject the work of a long-lived agent, or the change that a workflow asks about')
    .argument('<agent>', 'the id or name of the agent, or the id of the run of a workflow')
    .argument('[why...]', 'what is wrong; - reads it from standard input')
    .option('--reason <text>', 'the same as an option')
    .option(
      '-p, --project <dir>',
      "the agent's project (default: the project of the current folder)",
    )
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', REJECT_HELP)
    .action(
      async (id: string, words: readonly string[], options: RejectOptions, command: Command) => {
        const { project, json, idempotencyKey, reason } = options;
        requireAgentName(id);
        const why = reason ?? (await givenText(context, command, id, words));
        await using connection = await connectOwner(context);
        const { client } = connection;
        if (await rejectChange(context, client, id, why, options)) {
          finish(EXIT.ok);
          return;
        }
        const { agents } = client;
        const at = projectDir(context, project);
        const view = await agents.reject(id, why, at, idempotencyKey).catch(async (error) => {
          throw await explainRejection(context, client, id, error);
        });
        printAgent(context, view, json);
        finish(EXIT.ok);
      },
    );
}

const REJECT_HELP = `
A long-lived agent starts again from a clean workspace. If it has a list of models, from weak to strong, it continues
with the next. A workflow ends as failed. The rejected work is kept on its ref.

Examples:
  supervisor reject docs "the links lead nowhere"
  supervisor reject d86c57e7ac --reason "the interface breaks old clients"`;

/** The text of a message: the words, or standard input for `-`. */
async function givenText(
  context: CliContext,
  command: Command,
  id: string,
  words: readonly string[],
): Promise<string> {
  const given = textOf(command, words);
  const text = given === '-' ? await context.stdin() : given;
  if (text.trim() !== '') return text;
  throw new Refusal({
    code: 'usage.invalid',
    message: 'The text is empty.',
    hint: `Write ${command.name() === 'reject' ? 'what is wrong' : 'what the agent should know'}: supervisor ${command.name()} ${shellWord(id)} "check the links"`,
  });
}

function requireAgentName(id: string): void {
  if (id.trim() !== '') return;
  throw new Refusal({
    code: 'usage.invalid',
    message: 'The name of the agent is empty.',
    hint: 'List the agents with: supervisor tree --all',
  });
}

/** Splits at the first `=`, because the command may contain more. */
function commitment(text: string): { what: string; command: string } {
  const cut = text.indexOf('=');
  const [what, command] = [text.slice(0, cut).trim(), text.slice(cut + 1).trim()];
  if (cut > 0 && what !== '' && command !== '') return { what, command };
  throw new Refusal({
    code: 'usage.invalid',
    message: `--commitment ${JSON.stringify(text)} does not have the form what=command.`,
    hint: 'Give the promise and the command that proves it: --commitment "the tests pass=npm test"',
  });
}

function printAgent(context: CliContext, view: AgentView, json: boolean): void {
  if (json) return printJson(context, agentDocument(view));
  const { run, name, kind, state } = view;
  context.out(`${paint(context, 'cyan', run)}  ${printable(name)}  ${kind}, ${state}\n`);
}
