import type { Command } from 'commander';
import { listFolder } from '../../../host/files/list-folder.ts';
import { displayWidth } from '../../../host/output/fit-lines.ts';
import { packageData } from '../../../host/files/package-data.ts';
import { readTextFile } from '../../../host/files/read-text-file.ts';
import { explainRole } from '../../../roles/explain-role.ts';
import { listRoles } from '../../../roles/list-roles.ts';
import type { InstalledPack } from '../../../settings/pack-file.ts';
import type { RoleLine, RoleList } from '../../../roles/list-roles.ts';
import { loadRole } from '../../../roles/load-role.ts';
import { readInstalled, withPacks } from '../../../packs/installed-packs.ts';
import { roleSources } from '../../../roles/role-path.ts';
import type { RoleFiles, RoleSource } from '../../../roles/role-path.ts';
import { openTrusted, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { EXIT } from '../../exit-codes.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { stateHome } from '../../connect-owner.ts';
import { joinCells, layOutTable } from '../../format/text-table.ts';
import { printJson } from '../../json/print-json.ts';
import { addRolePacks } from './role-packs.ts';
import { PROJECT_OPTION, projectDir } from '../../input/project-path.ts';

type Options = {
  readonly project?: string;
  readonly untrusted: boolean;
  readonly json: boolean;
};

/** Needs no owner: roles are files. */
export function addRoles(program: Command, context: CliContext, finish: CommandEnding): void {
  const roles = program
    .command('roles')
    .alias('role')
    .description('Show and check the roles of this project, and install packs of them');
  roles
    .command('list', { isDefault: true })
    .description('List every role and where it comes from')
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .action(async ({ project, untrusted, json }: Options) => {
      const { sources, files } = await openRoles(context, project, untrusted);
      const list = withPackNames(await listRoles(sources, files), await installedIn(context));
      if (json)
        printJson(context, {
          schema: 'supervisor.roles/1',
          roles: list.roles.map(({ cli, strengths, ...role }) => ({
            ...role,
            agent_cli: cli,
            strengths: [...strengths],
          })),
          problems: [...list.problems],
        });
      else context.out(formatRoles(context, list.roles));
      if (!json) printProblems(context, list.problems);
      finish(0);
    });
  roles
    .command('show')
    .description('Show one role with everything it inherits, and the origin of each field')
    .argument('<name>', 'the name of the role')
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .action(async (name: string, { project, untrusted, json }: Options) => {
      const { sources, files } = await openRoles(context, project, untrusted);
      const loaded = await loadRole(name, sources, files);
      const fields = explainRole(loaded);
      if (json)
        printJson(context, {
          schema: 'supervisor.role-fields/1',
          role: loaded.role.name,
          fields: fields.map((one) => ({ ...one, origins: [...one.origins] })),
        });
      else
        for (const { key, value, origins } of fields)
          context.out(field(context, key, value, origins));
      finish(0);
    });
  roles
    .command('validate')
    .description('Check every role file. Exits with 2 if one is invalid.')
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .action(async ({ project, untrusted, json }: Options) => {
      const { sources, files } = await openRoles(context, project, untrusted);
      const { roles, problems } = await listRoles(sources, files);
      if (json)
        printJson(context, {
          schema: 'supervisor.roles-check/1',
          roles: roles.length,
          problems: [...problems],
          error: rolesError(problems),
        });
      else if (problems.length === 0) context.out(`All ${roles.length} roles are valid.\n`);
      else printProblems(context, problems);
      finish(problems.length === 0 ? EXIT.ok : EXIT.usage);
    });
  addRolePacks(roles, context, finish);
}

function installedIn(context: CliContext): ReturnType<typeof readInstalled> {
  return readInstalled(stateHome(context).dir);
}

/** A role of a pack is shown with the pack and its version. */
function withPackNames(list: RoleList, installed: readonly InstalledPack[]): RoleList {
  const roles = list.roles.map((role) => {
    if (role.level !== 'community') return role;
    const from = installed.find(({ files }) => Object.hasOwn(files, `roles/${role.name}.yaml`));
    return { ...role, pack: from === undefined ? null : `${from.name}@${from.version}` };
  });
  return { ...list, roles };
}

function rolesError(problems: readonly string[]): ErrorFields | null {
  const [first] = problems;
  if (first === undefined) return null;
  const message =
    problems.length === 1 ? first : `${problems.length} problems. The first: ${first}`;
  return simpleError('role.invalid', message, 'Correct the files that the problems name.');
}

async function openRoles(
  context: CliContext,
  named: string | undefined,
  untrusted: boolean,
): Promise<{ readonly sources: readonly RoleSource[]; readonly files: RoleFiles }> {
  const project = await openTrusted(context, projectDir(context, named), { untrusted });
  const home = stateHome(context).dir;
  return {
    sources: roleSources({ home, project, packageData }),
    files: withPacks(home, project.over({ read: readTextFile, list: listFolder })),
  };
}

/** Name, agent and origin of each role, and what it does: beside them, or below if that leaves too little room. */
function formatRoles(context: CliContext, roles: readonly RoleLine[]): string {
  const { isTty, width } = context.terminal;
  const columns = [{ title: '' }, { title: '' }, { title: '' }];
  const table = layOutTable(
    context.terminal,
    columns,
    roles.map(({ name, cli, level, pack }) => [
      printable(name),
      cli ?? '-',
      pack === null ? level : `${level}/${pack}`,
    ]),
  );
  return table.rows
    .map((cells, nth) => {
      const [name = '', cli = '', from = ''] = cells;
      const isWide = isTty && displayWidth(joinCells(cells)) > width / 2;
      const head = [paint(context, 'cyan', name), cli, paint(context, 'dim', from)];
      return `${joinCells(head)}${isWide ? '\n    ' : '  '}${describeRole(context, roles[nth])}\n`;
    })
    .join('');
}

function describeRole(context: CliContext, role: RoleLine | undefined): string {
  const { description = null, strengths = [] } = role ?? {};
  const text = description === null ? paint(context, 'red', 'invalid') : printable(description);
  const goodAt = strengths.length === 0 ? '' : ` (good at: ${printable(strengths.join(', '))})`;
  return `${text}${paint(context, 'dim', goodAt)}`;
}

function field(
  context: CliContext,
  key: string,
  value: unknown,
  origins: readonly string[],
): string {
  const from = paint(context, 'dim', origins.join('\n  + '));
  const text = typeof value === 'string' ? printable(value) : printable(JSON.stringify(value));
  return text.includes('\n')
    ? `${key}:\n${text.trim().replaceAll(/^(?=.)/gm, '  | ')}\n  = ${from}\n`
    : `${key.padEnd(28)} ${text.padEnd(24)} ${from}\n`;
}

function printProblems(context: CliContext, problems: readonly string[]): void {
  for (const problem of problems)
    context.err(`${paint(context, 'red', 'invalid')} ${printable(problem)}\n`);
}
