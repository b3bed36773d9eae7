import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { errnoCode } from '../../host/files/errno.ts';
import { accountHome, userHomeFolder } from '../../host/machine/account-home.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';
import { findProject } from './find-project.ts';

/** The help of the option that names a project. */
export const PROJECT_OPTION = [
  '-p, --project <dir>',
  'the project folder (default: the project of the current folder)',
] as const;

/** Turns a path relative to the current folder into one relative to the project, as requests need it. */
export function insideProject(context: CliContext, project: string, target: string): string {
  const path = relative(project, resolve(realCwd(context), target))
    .split(sep)
    .join('/');
  if (path !== '..' && !path.startsWith('../')) return path === '' ? '.' : path;
  throw new Refusal({
    code: 'context.unknown-target',
    message: `${JSON.stringify(target)} is outside the project.`,
    hint: `Name a file inside ${project}.`,
  });
}

function realCwd({ cwd }: CliContext): string {
  try {
    return realpathSync(cwd);
  } catch {
    return cwd; // the folder was deleted
  }
}

/** Commands that have said which project they found. Some look for it several times. */
const announced = new WeakSet<CliContext>();

/**
 * The real path of the project, with all symbolic links resolved. If none is named, it is the project that the current
 * folder belongs to, and a line says so if that is another folder.
 */
export function projectDir(
  context: CliContext,
  named: string | undefined,
  how: NamedBy = 'option',
): string {
  if (named !== undefined) return existingFolder(context, named, how);
  const current = existingFolder(context, '.', how);
  const project = projectOf(context, current);
  if (project !== current && !announced.has(context)) {
    announced.add(context);
    const from = printable(relative(project, current));
    context.err(paint(context, 'dim', `Project: ${printable(project)} (found from ${from}/)\n`));
  }
  return project;
}

/** For a command that has no option for it. */
export function currentProject(context: CliContext): string {
  return projectDir(context, undefined, 'cwd');
}

/** The project of a folder that exists. Prints nothing. */
export function projectOf(context: CliContext, folder: string): string {
  const account = accountHome();
  const homes = [userHomeFolder(), ...(account === undefined ? [] : [account])];
  return findProject(folder, [...homes, stateHome(context).dir]);
}

/** How the command line names a project: with `--project`, as an argument, or only by the current folder. */
type NamedBy = 'option' | 'argument' | 'cwd';

const OR_NAME_IT = {
  option: ', or name it with --project',
  argument: ', or name it',
  cwd: '',
} as const;

/** The real path of a folder, with all symbolic links resolved. `.` is the current folder. */
export function existingFolder(
  context: CliContext,
  named: string,
  how: NamedBy = 'option',
): string {
  if (named === '')
    throw new Refusal({
      code: 'usage.invalid',
      message: 'The name of the project folder is empty.',
      hint: `Name a folder. The current folder is: ${context.cwd}`,
    });
  const dir = resolve(context.cwd, named);
  try {
    if (statSync(dir).isDirectory()) {
      accessSync(dir, constants.R_OK | constants.X_OK);
      return realpathSync(dir);
    }
  } catch (error) {
    throw noFolder(context, dir, { named, how }, error);
  }
  throw new Refusal({
    code: 'usage.invalid',
    message: `The project ${dir} is a file, not a folder.`,
    hint: `Name the folder of the project, such as: ${dirname(dir)}`,
  });
}

/** Whether a command is typed outside of this project, which is an absolute path. */
export function isOtherProject(context: CliContext, project: string): boolean {
  return projectOf(context, realCwd(context)) !== project;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'cannot be opened: you have no permission',
  ELOOP: 'cannot be opened: its symbolic links lead in a circle',
  ENAMETOOLONG: 'cannot be opened: its path is too long',
};

function noFolder(
  context: CliContext,
  dir: string,
  { named, how }: { readonly named: string; readonly how: NamedBy },
  cause: unknown,
): Refusal {
  const reason = REASONS[errnoCode(cause)] ?? 'does not exist';
  const isCurrent = dir === context.cwd;
  const hint = isCurrent
    ? `Change to the folder of your project with cd${OR_NAME_IT[how]}.`
    : named.startsWith('~')
      ? 'Write ~ outside of quotation marks, so that the shell replaces it with your home.'
      : `Name an existing folder${how === 'option' ? ' with --project' : ''}.`;
  const what = isCurrent ? 'current folder' : 'project folder';
  return new Refusal(
    { code: 'usage.invalid', message: `The ${what} ${dir} ${reason}.`, hint },
    { cause },
  );
}
