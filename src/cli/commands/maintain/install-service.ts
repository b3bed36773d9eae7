/** `up --install`: hands the owner to the service manager of the machine. Everything is shown before it is done. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Refusal } from '../../../base/errors.ts';
import { oneLine, truncate } from '../../../base/text.ts';
import { confirmAtTerminal, requireYes } from '../../ask/confirm.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { ServiceFile } from '../../service-file.ts';
import { serviceFile } from './owner-service.ts';

type InstallOptions = {
  readonly install: boolean;
  readonly uninstall: boolean;
  readonly yes: boolean;
  readonly json: boolean;
};

/** A service manager answers at once, unless it is stuck. */
const COMMAND_MS_MAX = 60_000;
const OUTPUT_CHARS_MAX = 300;

/** Resolves with the exit code. */
export async function changeService(context: CliContext, options: InstallOptions): Promise<number> {
  if (options.install && options.uninstall)
    throw invalid('--install and --uninstall are opposites.', 'Use one of them.');
  if (options.json)
    throw invalid(
      '--install and --uninstall print no JSON.',
      'For the file as JSON, use: supervisor owner service --json',
    );
  const file = serviceFile(context);
  return options.install
    ? install(context, file, options.yes)
    : uninstall(context, file, options.yes);
}

async function install(context: CliContext, file: ServiceFile, yes: boolean): Promise<number> {
  const path = expanded(context, file.path);
  const before = await readFile(path, 'utf8').catch(() => undefined);
  // The first two make the folder and the file, which is done here.
  const commands = file.start.slice(2);
  context.out(file.text, 'verbatim');
  context.err(
    `\n${paint(context, 'bold', before === undefined || before === file.text ? 'This goes to:' : 'This replaces what is different in:')} ${printable(path)}\n`,
  );
  tellCommands(context, commands);
  await confirmed(
    context,
    yes,
    `Write the file and start the owner with ${file.manager}?`,
    'Nothing was written.',
  );
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, file.text);
  const isDone = await runAll(context, commands);
  context.err(`${file.keys}\n`);
  if (isDone)
    context.out(
      `The owner is kept running by ${file.manager}. To end that: supervisor up --uninstall\n`,
    );
  return isDone ? EXIT.ok : EXIT.failed;
}

async function uninstall(context: CliContext, file: ServiceFile, yes: boolean): Promise<number> {
  const path = expanded(context, file.path);
  if ((await readFile(path, 'utf8').catch(() => undefined)) === undefined) {
    context.out(`There is no ${printable(path)}, so nothing keeps the owner running.\n`);
    return EXIT.ok;
  }
  tellCommands(context, [file.stop, `rm ${path}`]);
  await confirmed(
    context,
    yes,
    `End the owner, and delete the file for ${file.manager}?`,
    'Nothing was changed.',
  );
  const isDone = await runAll(context, [file.stop]);
  await rm(path, { force: true });
  context.out(`Deleted ${printable(path)}. Active runs continue when the next owner starts.\n`);
  return isDone ? EXIT.ok : EXIT.failed;
}

function tellCommands(context: CliContext, commands: readonly string[]): void {
  context.err(`${paint(context, 'bold', 'Then these commands run:')}\n`);
  for (const line of commands) context.err(`  ${line}\n`, 'verbatim');
}

async function confirmed(
  context: CliContext,
  yes: boolean,
  question: string,
  undone: string,
): Promise<void> {
  if (yes) return;
  const confirm = confirmAtTerminal(context);
  if (confirm === undefined)
    throw invalid(
      'It asks before it changes anything, and it can not ask here.',
      'Add --yes to do it without a question.',
    );
  await requireYes(confirm, question, undone);
}

/** One that fails does not keep the next from running: each is useful alone. False: one has failed. */
async function runAll(context: CliContext, commands: readonly string[]): Promise<boolean> {
  let isDone = true;
  for (const line of commands) {
    try {
      await promisify(execFile)('/bin/sh', ['-c', line], {
        env: context.env,
        timeout: COMMAND_MS_MAX,
      });
    } catch (error) {
      isDone = false;
      const { stderr = '', message } = error as Error & { readonly stderr?: string };
      const why = truncate(oneLine(printable(stderr.trim() || message)), OUTPUT_CHARS_MAX);
      context.err(
        `${paint(context, 'red', 'failed:')} ${why}\nType it yourself when that is solved:\n  ${line}\n`,
      );
    }
  }
  return isDone;
}

function expanded({ env }: CliContext, path: string): string {
  const { HOME } = env;
  if (HOME === undefined || HOME === '')
    throw invalid(
      'HOME is not set, so there is no place for the file.',
      'Set HOME to your home folder.',
    );
  return join(HOME, path.replace(/^~\//, ''));
}

function invalid(message: string, hint: string): Refusal {
  return new Refusal({ code: 'usage.invalid', message, hint });
}
