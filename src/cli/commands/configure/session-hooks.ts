import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { at as instant, isoTime } from '../../../base/clock.ts';
import { describeError } from '../../../base/errors.ts';
import { shellWord } from '../../../base/shell-words.ts';
import type { HookChange } from '../../../hooks/change-hooks.ts';
import {
  isInstalled,
  performHookChange,
  planInstall,
  planRemove,
  readSettings,
} from '../../../hooks/change-hooks.ts';
import { readHookRecords } from '../../../hooks/hook-records.ts';
import type { HookCli, HookScope } from '../../../hooks/hook-target.ts';
import { HOOK_CLIS, hookTarget } from '../../../hooks/hook-target.ts';
import { userHomeFolder } from '../../../host/machine/account-home.ts';
import type { HookState } from '../../../public-json/hook-documents.ts';
import { hookAnswer, readHookCall } from '../../../shared-folder/hook-answer.ts';
import { takeMessage } from '../../../shared-folder/take-message.ts';
import { unifiedDiff } from '../../../trust/unified-diff.ts';
import { requireConfirm, requireYes } from '../../ask/confirm.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { stateHome } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { projectDir } from '../../input/project-path.ts';
import { printJson } from '../../json/print-json.ts';

type ChangeOptions = {
  readonly project: boolean;
  readonly folder?: string;
  readonly role?: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
};

const CLI_ARGUMENT = ['<cli>', `the CLI: ${HOOK_CLIS.join(', ')}`] as const;
const PROJECT_SCOPE = ['--project', 'only for sessions in this project', false] as const;

/** Needs no owner: it changes the settings of other programs, and its own record of that. */
export function addHook(program: Command, context: CliContext, finish: CommandEnding): void {
  const hook = program
    .command('hook')
    .description('Let your own sessions of an agent CLI report, and read messages of a watch')
    .addHelpText('after', HELP);
  hook
    .command('install')
    .description("Add a hook to the CLI's settings, after a preview and a question")
    .argument(...CLI_ARGUMENT, hookCli)
    .option(...PROJECT_SCOPE)
    .option(
      '--folder <dir>',
      'the shared folder (default: .supervisor/organization of this project)',
    )
    .option('--role <name>', 'the role of these sessions (default: the name of the CLI)', roleName)
    .option('--yes', 'do not ask', false)
    .option('--dry-run', 'only show the change', false)
    .option('--json', 'print JSON', false)
    .action(async (cli: HookCli, options: ChangeOptions) =>
      finish(await install(context, cli, options)),
    );
  hook
    .command('remove')
    .description('Take the hook out again; everything else stays as it is')
    .argument(...CLI_ARGUMENT, hookCli)
    .option(...PROJECT_SCOPE)
    .option('--yes', 'do not ask', false)
    .option('--dry-run', 'only show the change', false)
    .option('--json', 'print JSON', false)
    .action(async (cli: HookCli, options: ChangeOptions) =>
      finish(await remove(context, cli, options)),
    );
  hook
    .command('list', { isDefault: true })
    .description('List the hooks that were installed')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => finish(await list(context, json)));
  hook
    .command('take', { hidden: true })
    .description('What an installed hook runs: reports a tool call, and prints the next message')
    .argument(...CLI_ARGUMENT, hookCli)
    .requiredOption('--folder <dir>', 'the shared folder')
    .requiredOption('--role <name>', 'the role of the session', roleName)
    .action(async (cli: HookCli, options: { folder: string; role: string }) =>
      finish(await take(context, cli, options)),
    );
}

const HELP = `
The hook runs after each tool call of a session. It reports what the session does to the shared folder, and gives the
model one message of \`supervisor watch\` at a time. Nothing else of the settings changes, and \`remove\` restores them.

Examples:
  supervisor hook install claude
  supervisor hook install codex --project --role coder
  supervisor hook remove claude`;

function hookCli(text: string): HookCli {
  const cli = HOOK_CLIS.find((one) => one === text);
  if (cli !== undefined) return cli;
  throw new InvalidArgumentError(`Use one of ${HOOK_CLIS.join(', ')}.`);
}

function roleName(text: string): string {
  if (/^[a-z][a-z0-9_-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError(
    'Use lowercase letters, digits, _ and -, beginning with a letter.',
  );
}

function scopeOf(context: CliContext, { project }: Pick<ChangeOptions, 'project'>): HookScope {
  if (project) return { kind: 'project', project: projectDir(context, undefined) };
  return { kind: 'user', home: context.env['HOME'] ?? userHomeFolder(), env: context.env };
}

async function install(context: CliContext, cli: HookCli, options: ChangeOptions): Promise<number> {
  const confirm = requireConfirm(context, 'hook install', options);
  const home = stateHome(context).dir;
  const folder =
    options.folder === undefined
      ? join(projectDir(context, undefined), '.supervisor', 'organization')
      : resolve(context.cwd, options.folder);
  const command = hookCommand(context, cli, folder, options.role ?? cli);
  const target = hookTarget(cli, scopeOf(context, options), command);
  const plan = await planInstall(home, cli, target, { command, at: context.clock.now() });
  if (plan.after === plan.before) return tell(context, cli, plan, 'already_installed', options);
  preview(context, plan, options);
  if (options.dryRun) return tell(context, cli, plan, 'planned', options);
  await requireYes(confirm, `Change ${plan.file}?`, 'Nothing was changed.');
  await performHookChange(home, cli, plan);
  if (!existsSync(join(folder, 'active.json')))
    context.err(
      `${printable(folder)} has no active.json yet. Until it has one, the hook does nothing.\n`,
    );
  if (cli === 'codex')
    context.err('Codex runs a new hook only after you trust it: type /hooks there.\n');
  return tell(context, cli, plan, 'installed', options);
}

async function remove(context: CliContext, cli: HookCli, options: ChangeOptions): Promise<number> {
  const confirm = requireConfirm(context, 'hook remove', options);
  const home = stateHome(context).dir;
  const target = hookTarget(cli, scopeOf(context, options), '');
  const plan = await planRemove(home, cli, target);
  const none: HookChange = {
    ...{ file: target.file, before: null, after: null, record: null, folders: [] },
  };
  if (plan === undefined) return tell(context, cli, none, 'not_installed', options);
  preview(context, plan, options);
  if (options.dryRun) return tell(context, cli, plan, 'planned', options);
  await requireYes(confirm, `Change ${plan.file}?`, 'Nothing was changed.');
  await performHookChange(home, cli, plan);
  return tell(context, cli, plan, 'removed', options);
}

/** As a shell of the CLI runs it, in any folder. */
function hookCommand(context: CliContext, cli: HookCli, folder: string, role: string): string {
  const program = fileURLToPath(new URL('../../../../bin/supervisor.js', import.meta.url));
  const words = [context.node, program, 'hook', 'take', cli, '--folder', folder, '--role', role];
  return words.map(shellWord).join(' ');
}

function diffOf({ before, after }: HookChange): readonly string[] {
  return unifiedDiff(before ?? '', after ?? '');
}

function preview(context: CliContext, change: HookChange, { json }: ChangeOptions): void {
  if (json) return;
  context.out(`${paint(context, 'bold', printable(change.file))}\n`);
  for (const line of diffOf(change)) context.out(`${printable(line)}\n`, 'verbatim');
}

const WORDS: Readonly<Record<HookState, string>> = {
  installed: 'The hook is installed',
  already_installed: 'The hook is installed already',
  removed: 'The hook is removed',
  not_installed: 'No hook is installed',
  planned: 'Nothing was changed',
};

function tell(
  context: CliContext,
  cli: HookCli,
  change: HookChange,
  state: HookState,
  { json }: ChangeOptions,
): number {
  const { file } = change;
  if (json)
    printJson(context, {
      schema: 'supervisor.hook/1',
      cli,
      file,
      state,
      diff: [...diffOf(change)],
    });
  else context.out(`${WORDS[state]}: ${printable(file)}\n`);
  return EXIT.ok;
}

async function list(context: CliContext, json: boolean): Promise<number> {
  const records = await readHookRecords(stateHome(context).dir);
  const hooks = await Promise.all(
    records.map(async (record) => {
      const { cli, file, command } = record;
      const text = await readSettings(file).catch(() => undefined); // it can't be read: it is not there
      const isPresent = text !== undefined && isInstalled(record, text);
      return {
        cli,
        file,
        command,
        is_present: isPresent,
        installed_at: isoTime(instant(record.at)),
      };
    }),
  );
  if (json) printJson(context, { schema: 'supervisor.hooks/1', hooks });
  else if (hooks.length === 0) context.out('No hook is installed.\n');
  else
    for (const { cli, file, is_present: isPresent } of hooks)
      context.out(`${cli}: ${printable(file)}${isPresent ? '' : ' (the file has lost it)'}\n`);
  return EXIT.ok;
}

/** A hook must never disturb its session: whatever happens here, it ends well. */
async function take(
  context: CliContext,
  cli: HookCli,
  { folder, role }: { readonly folder: string; readonly role: string },
): Promise<number> {
  try {
    const call = readHookCall(JSON.parse(await context.stdin()));
    if (call === undefined) return EXIT.ok;
    const hook = { folder, role, cwd: context.cwd };
    await takeMessage(hook, call, context.clock.now(), async (text) =>
      context.out(hookAnswer(cli, text), 'verbatim'),
    );
  } catch (error) {
    context.err(`supervisor hook: ${describeError(error)}\n`);
  }
  return EXIT.ok;
}
