import { realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { CliContext } from './cli-context.ts';

/** Turns a path relative to the current folder into one relative to the project, as requests need it. */
export function insideProject(context: CliContext, project: string, target: string): string {
  const path = relative(project, resolve(realpathSync(context.cwd), target))
    .split(sep)
    .join('/');
  if (path !== '..' && !path.startsWith('../')) return path === '' ? '.' : path;
  throw new Refusal({
    code: 'context.unknown-target',
    message: `${JSON.stringify(target)} is outside the project.`,
    hint: `Name a file inside ${project}.`,
  });
}

/** The real path of the project, with all symbolic links resolved. */
export function projectDir(context: CliContext, named: string | undefined): string {
  const dir = resolve(context.cwd, named ?? '.');
  try {
    return realpathSync(dir);
  } catch (error) {
    const message = `The project folder ${dir} does not exist.`;
    throw new Refusal(
      { code: 'usage.invalid', message, hint: 'Name an existing folder with --project.' },
      { cause: error },
    );
  }
}
