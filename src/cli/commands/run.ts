import { Option } from 'commander';
import type { Command } from 'commander';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Face } from '../face.ts';
import { paint } from '../face.ts';
import { reach } from '../reach.ts';
import type { Finish } from '../program.ts';
import { watchRun } from '../watch-run.ts';

type Options = {
  readonly agent?: string;
  readonly project?: string;
  readonly set: readonly string[];
  readonly detach: boolean;
  readonly foreground: boolean;
  readonly unsafeNoSandbox: boolean;
  readonly json: boolean;
  readonly jsonStream: boolean;
};

export function addRun(program: Command, face: Face, finish: Finish): void {
  program
    .command('run')
    .description('Give a task to an agent and watch it to its end')
    .argument('<task>', 'what is to be done, in plain words; - reads it from standard input')
    .option('-a, --agent <id>', 'the agent to use')
    .option('-p, --project <dir>', 'the project to work in (default: this folder)')
    .option(
      '-s, --set <key=value>',
      'a setting for this run alone, strongest of all; may be repeated',
      collect,
      [],
    )
    .option('-d, --detach', 'print the run and come back at once', false)
    .option(
      '-f, --foreground',
      'keep the owner inside this command instead of in the background; it ends with it',
      false,
    )
    .option('--unsafe-no-sandbox', 'run the agent as it is, with all that you may do', false)
    .option(
      '--json',
      'print the run as one JSON value at its end; --json=stream: its facts too',
      false,
    )
    .addOption(new Option('--json-stream').hideHelp().default(false))
    .addHelpText('after', HELP)
    .action(async (task: string, options: Options) => finish(await run(face, task, options)));
}

const HELP = `
Ctrl-C stops the run, a second one kills it. Closing the terminal leaves it running.
Exit code: 0 done, 1 failed, 2 usage or configuration, 130 stopped, 137 killed.

Examples:
  supervisor run "write a haiku" --agent scripted
  supervisor run "write a haiku" --agent scripted --set attempt.deadline=5m --json`;

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

async function run(face: Face, given: string, options: Options): Promise<number> {
  if (options.detach && options.foreground) {
    throw new Refusal({
      code: 'usage.invalid',
      message:
        '--detach and --foreground exclude each other: the owner would end with this command.',
    });
  }
  const task = given === '-' ? await face.stdin() : given;
  if (task.trim() === '')
    throw new Refusal({
      code: 'usage.invalid',
      message: 'The task is empty: say what is to be done.',
    });
  const project = projectDir(face, options.project);
  await using reached = await reach(face, options.foreground);
  const { client } = reached;
  const { agent, set, unsafeNoSandbox: unsafe } = options;
  const request = {
    task,
    project,
    set: [...set],
    ...(agent === undefined ? {} : { agent }),
    ...(unsafe ? { unsafe } : {}),
  };
  const view = await client.submit(request);
  const wish = options.jsonStream ? 'stream' : options.json;
  if (!options.detach) return await watchRun(face, reached, view, wish);
  face.out(wish !== false ? `${JSON.stringify(view)}\n` : `${view.id}\n`);
  if (wish === false)
    face.err(paint(face, 'dim', `Watch it with: supervisor logs ${view.id} --follow\n`));
  return EXIT.ok;
}

function projectDir(face: Face, named: string | undefined): string {
  const dir = resolve(face.cwd, named ?? '.');
  try {
    return realpathSync(dir);
  } catch (error) {
    const message = `There is no project at ${dir}.`;
    throw new Refusal(
      { code: 'usage.invalid', message, hint: 'Name a folder with --project.' },
      { cause: error },
    );
  }
}
