/** The commands for agents that live long: spawn, send, reject, dismiss. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import type { AgentView } from '../../protocol/views/agent-view.ts';
import { AGENT_KINDS } from '../../protocol/long-lived-agent.ts';
import { askForTrust, UNTRUSTED_OPTION } from '../ask-trust.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { projectDir } from '../project-path.ts';
import type { KeyOption } from '../options.ts';
import { collect, usd, withKeyOption } from '../options.ts';
import type { CommandEnding } from '../command-line.ts';
import { connectOwner } from '../connect-owner.ts';

type SpawnOptions = KeyOption & {
  readonly name?: string;
  readonly kind?: AgentView['kind'];
  readonly parent?: string;
  readonly model?: string;
  readonly agent?: string;
  readonly budgetUsd?: number;
  readonly commit: readonly string[];
  readonly queue?: string;
  readonly onDone?: 'dismiss' | 'wait' | 'next';
  readonly project?: string;
  readonly unsafeNoSandbox: boolean;
  readonly untrusted: boolean;
  readonly set: readonly string[];
  readonly json: boolean;
};

export function addSpawn(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('spawn'))
    .description('Summon an agent that lives long: it is restarted when it fails, until it is done')
    .argument('<assignment>', 'what it is for, in plain words; - reads it from standard input')
    .option('-n, --name <name>', 'its name, unique among the living of the project')
    .addOption(
      new Option('-k, --kind <kind>', 'how it is restarted and who sees it').choices(AGENT_KINDS),
    )
    .option('--parent <agent>', "whose child it is (default: the project's root, if it has one)")
    .option('-m, --model <model>', 'the model to ask for')
    .option('-a, --agent <id>', 'which configured agent it is')
    .option('--budget-usd <amount>', 'what its model calls may cost', usd)
    .option(
      '--commit <what=command>',
      'what must hold when it says that it is done, and what proves it; may be repeated',
      collect,
      [],
    )
    .option('--queue <dir>', 'a folder with its tasks, one file each')
    .addOption(
      new Option(
        '--on-done <what>',
        'what follows done (default: dismiss, or next with a queue)',
      ).choices(['dismiss', 'wait', 'next']),
    )
    .option('--unsafe-no-sandbox', 'run the agent as it is, with all that you may do', false)
    .option(...UNTRUSTED_OPTION)
    .option('-p, --project <dir>', 'the project to work in (default: this folder)')
    .option('-s, --set <key=value>', 'a setting for this agent alone; may be repeated', collect, [])
    .option('--json', 'print JSON', false)
    .addHelpText('after', SPAWN_HELP)
    .action(async (given: string, options: SpawnOptions) => {
      const assignment = given === '-' ? await context.stdin() : given;
      if (assignment.trim() === '')
        throw new Refusal({ code: 'usage.invalid', message: 'The assignment is empty.' });
      const { name, kind, parent, model, agent, budgetUsd, queue, onDone } = options;
      const project = projectDir(context, options.project);
      const trust = await askForTrust(context, project, options);
      await using connection = await connectOwner(context);
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
          queue: queue === undefined ? undefined : resolve(context.cwd, queue),
          onDone,
          unsafe: options.unsafeNoSandbox || undefined,
          commitments: options.commit.length === 0 ? undefined : options.commit.map(commitment),
        }),
      };
      const view = await connection.client.agents.spawn(request, options.idempotencyKey);
      say(context, view, options.json);
      finish(EXIT.ok);
    });
}

const SPAWN_HELP = `
The owner stays as long as an agent lives. See them with: supervisor tree

Examples:
  supervisor spawn "keep the docs in order" --name docs --agent scripted
  supervisor spawn "fix the flaky test" --commit "the tests pass=npm test" --budget-usd 2
  supervisor spawn "work through the tasks" --queue ./tasks --on-done next`;

type Options = KeyOption & { readonly project?: string; readonly json: boolean };

export function addSend(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('send'))
    .description('Say something to an agent that lives long; it hears it with its next turn')
    .argument('<agent>', 'its id or its name')
    .argument('<text>', 'what to say; - reads it from standard input')
    .option('-p, --project <dir>', 'the project of its name (default: this folder)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor send docs "look at the README first"')
    .action(async (id: string, given: string, { project, json, idempotencyKey }: Options) => {
      const text = given === '-' ? await context.stdin() : given;
      await using connection = await connectOwner(context);
      const { agents } = connection.client;
      say(context, await agents.send(id, text, projectDir(context, project), idempotencyKey), json);
      finish(EXIT.ok);
    });
}

export function addDismiss(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('dismiss'))
    .description('Let an agent go that lives long, and its children; its work and its body stay')
    .argument('<agent>', 'its id or its name')
    .option('--because <reason>', 'what is written down')
    .option('-p, --project <dir>', 'the project of its name (default: this folder)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor dismiss docs')
    .action(async (id: string, options: Options & { readonly because?: string }) => {
      const { project, because, json, idempotencyKey } = options;
      await using connection = await connectOwner(context);
      const { agents } = connection.client;
      const at = projectDir(context, project);
      say(context, await agents.dismiss(id, because, at, idempotencyKey), json);
      finish(EXIT.ok);
    });
}

export function addReject(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('reject'))
    .description('Say that the work of an agent is wrong: it begins again from a clean tree')
    .argument('<agent>', 'its id or its name')
    .argument(
      '<why>',
      'what is wrong, for the one that begins again; - reads it from standard input',
    )
    .option('-p, --project <dir>', 'the project of its name (default: this folder)')
    .option('--json', 'print JSON', false)
    .addHelpText('after', REJECT_HELP)
    .action(async (id: string, given: string, { project, json, idempotencyKey }: Options) => {
      const why = given === '-' ? await context.stdin() : given;
      await using connection = await connectOwner(context);
      const { agents } = connection.client;
      say(
        context,
        await agents.reject(id, why, projectDir(context, project), idempotencyKey),
        json,
      );
      finish(EXIT.ok);
    });
}

const REJECT_HELP = `
What it has done stays on its ref. Where models are named, from weak to strong, the next one has a try.

Example:
  supervisor reject docs "the links lead nowhere"`;

/** The first = parts them: a command may have more. */
function commitment(text: string): { what: string; command: string } {
  const cut = text.indexOf('=');
  const [what, command] = [text.slice(0, cut).trim(), text.slice(cut + 1).trim()];
  if (cut > 0 && what !== '' && command !== '') return { what, command };
  throw new Refusal({
    code: 'usage.invalid',
    message: `--commit ${JSON.stringify(text)} is not what=command.`,
    hint: 'Say what is promised and what proves it: --commit "the tests pass=npm test"',
  });
}

function say(context: CliContext, view: AgentView, json: boolean): void {
  if (json) return context.out(`${JSON.stringify(view)}\n`);
  const { run, name, kind, state } = view;
  context.out(`${paint(context, 'cyan', run)}  ${printable(name)}  ${kind}, ${state}\n`);
}
