/** Installs and removes packs of roles and workflows, after a preview and a question. Needs no owner. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import { plural } from '../../../base/text.ts';
import { ensurePrivateDir } from '../../../host/files/atomic-files.ts';
import { takeLock } from '../../../host/files/lock-file.ts';
import { addInstalled, readInstalled, removeInstalled } from '../../../packs/installed-packs.ts';
import { dependents } from '../../../packs/plan-install.ts';
import type { ShownCommand } from '../../../packs/shown-commands.ts';
import { listCommands } from '../../../packs/shown-commands.ts';
import type { RolePackDocument } from '../../../public-json/project-documents.ts';
import type { InstalledPack } from '../../../settings/pack-file.ts';
import { requireConfirm, requireYes } from '../../ask/confirm.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { stateHome } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson } from '../../json/print-json.ts';
import type { NewPack } from '../../packs/install-pack.ts';
import { findNewPacks } from '../../packs/install-pack.ts';

type Options = { readonly yes: boolean; readonly dryRun: boolean; readonly json: boolean };

export function addRolePacks(roles: Command, context: CliContext, finish: CommandEnding): void {
  roles
    .command('install')
    .description('Install a pack of roles and workflows, after a preview and a question')
    .argument('<pack>', 'NAME, NAME@VERSION, git+https://HOST/PATH#TAG, or a .tgz file')
    .option('-y, --yes', 'install it without a question', false)
    .option('--dry-run', 'only show what would be installed', false)
    .option('--json', 'print JSON; needs --yes or --dry-run', false)
    .addHelpText('after', HELP)
    .action(async (pack: string, options: Options) =>
      finish(await install(context, pack, options)),
    );
  roles
    .command('remove')
    .description('Remove an installed pack')
    .argument('<pack>', 'the name of the pack; `roles list` shows it')
    .option('-y, --yes', 'remove it without a question', false)
    .option('--dry-run', 'only show what would be removed', false)
    .option('--json', 'print JSON; needs --yes or --dry-run', false)
    .action(async (name: string, options: Options) => finish(await remove(context, name, options)));
}

const HELP = `
A pack is data: roles, workflows, strategies and templates. Nothing of it runs when it is installed. The preview shows
each command that its files could run later, in the sandbox. A pack never replaces your own roles or built-in ones.
The pack is pinned by its hash or its commit, and its files are used only with exactly the content that you saw.

Examples:
  supervisor roles install security-pack@1.2.0
  supervisor roles install git+https://example.com/team/roles.git#v3
  supervisor roles install ./security-pack-1.2.0.tgz --dry-run`;

async function install(context: CliContext, typed: string, options: Options): Promise<number> {
  const confirm = requireConfirm(context, 'roles install', options);
  const { name, added, seen } = await findNewPacks(context, typed);
  const { json, dryRun } = options;
  if (added.length === 0) {
    if (json) printJson(context, toDocument('unchanged', name, []));
    else context.out(`The pack ${printable(name)} is installed already.\n`);
    return EXIT.ok;
  }
  if (!json) for (const one of added) context.out(describePack(context, one));
  if (dryRun) {
    if (json) printJson(context, toDocument('preview', name, added));
    return EXIT.ok;
  }
  const what = added.length === 1 ? 'this pack' : `these ${plural(added.length, 'pack')}`;
  await requireYes(confirm, `Install ${what}?`, 'Nothing was installed.');
  const home = stateHome(context).dir;
  await locked(context, home, seen, () => addInstalled(home, added));
  if (json) printJson(context, toDocument('done', name, added));
  else
    for (const { pack } of added)
      context.out(`${paint(context, 'green', 'installed')} ${nameOf(pack)}\n`);
  return EXIT.ok;
}

async function remove(context: CliContext, name: string, options: Options): Promise<number> {
  const confirm = requireConfirm(context, 'roles remove', options);
  const home = stateHome(context).dir;
  const installed = await readInstalled(home);
  const pack = installed.find((one) => one.name === name);
  if (pack === undefined) throw notInstalled(name, installed);
  const needing = dependents(name, installed);
  if (needing.length > 0)
    throw new Refusal({
      code: 'pack.invalid',
      message: `The pack ${name} is needed by ${needing.join(', ')}.`,
      hint: `Remove that first: supervisor roles remove ${needing[0] ?? ''}`,
    });
  const files = Object.keys(pack.files);
  const { json, dryRun } = options;
  if (!json) context.out(`${nameOf(pack)}\n${files.map((path) => `  ${path}\n`).join('')}`);
  const one = { pack, texts: new Map(), replaces: null };
  if (dryRun) {
    if (json) printJson(context, toDocument('preview', name, [one]));
    return EXIT.ok;
  }
  await requireYes(confirm, `Remove ${plural(files.length, 'file')}?`, 'Nothing was removed.');
  await locked(context, home, installed, () => removeInstalled(home, name));
  if (json) printJson(context, toDocument('removed', name, [one]));
  else context.out(`${paint(context, 'green', 'removed')} ${nameOf(pack)}\n`);
  return EXIT.ok;
}

/**
 * Two installations at once would each write a list without the other's pack. `seen`: the packs for which it was decided
 * that nothing is replaced and nothing is missing.
 */
async function locked(
  context: CliContext,
  home: string,
  seen: readonly InstalledPack[],
  act: () => Promise<void>,
): Promise<void> {
  await ensurePrivateDir(home);
  const options = { clock: context.clock, purpose: 'roles install' };
  const lock = await takeLock(join(home, 'packs.lock'), options);
  if (lock.kind !== 'taken')
    throw new Refusal({
      code: 'config.busy',
      message: 'Another command is installing a pack now.',
      hint: 'Try it again when that has ended.',
    });
  try {
    if (JSON.stringify(await readInstalled(home)) !== JSON.stringify(seen))
      throw new Refusal({
        code: 'config.busy',
        message:
          'Another command has changed the installed packs meanwhile. Nothing was changed here.',
        hint: 'Try it again.',
      });
    await act();
  } finally {
    lock.release();
  }
}

function describePack(context: CliContext, { pack, texts, replaces }: NewPack): string {
  const { author, description, source, pinned, dependencies, files } = pack;
  const rows = [
    `${paint(context, 'bold', nameOf(pack))}  by ${printable(author)}${replaces === null ? '' : `, in place of ${replaces}`}`,
    ...(description === '' ? [] : [printable(description)]),
    `from ${printable(source)}`,
    `pinned to ${pinned}`,
    ...Object.entries(dependencies).map(([name, version]) => `needs ${name} ${version}`),
    ...Object.keys(files).map((path) => `  ${path}`),
  ];
  const commands = listCommands(texts);
  const shown =
    commands.length === 0
      ? ['It runs no command.']
      : [
          'These commands and arguments are used when its roles and workflows run:',
          ...commands.map(describeCommand),
        ];
  return `${[...rows, ...shown].join('\n')}\n\n`;
}

function describeCommand({ file, key, text }: ShownCommand): string {
  return `  ${file}  ${printable(key)}: ${printable(text.replaceAll('\n', ' ↵ '))}`;
}

function nameOf({ name, version }: InstalledPack): string {
  return `${name} ${version}`;
}

function notInstalled(name: string, installed: readonly InstalledPack[]): Refusal {
  const names = installed.map((pack) => pack.name);
  return new Refusal({
    code: 'pack.not-found',
    message: `No pack ${JSON.stringify(name)} is installed.`,
    hint: names.length === 0 ? 'No pack is installed.' : `Installed are: ${names.join(', ')}.`,
  });
}

function toDocument(
  state: RolePackDocument['state'],
  name: string,
  packs: readonly NewPack[],
): RolePackDocument {
  return {
    schema: 'supervisor.role-pack/1',
    ...{ state, name },
    packs: packs.map(({ pack, texts, replaces }) => ({
      name: pack.name,
      version: pack.version,
      author: pack.author,
      source: pack.source,
      pinned: pack.pinned,
      replaces,
      files: Object.keys(pack.files),
      commands: listCommands(texts).map((one) => ({ ...one })),
    })),
  };
}
