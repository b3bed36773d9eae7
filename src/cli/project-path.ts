import { realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { CliContext } from './cli-context.ts';

/** A path is meant from where one stands; the rest of the program counts from the project. */
export function insideProject(context: CliContext, project: string, target: string): string {
  const path = relative(project, resolve(realpathSync(context.cwd), target))
    .split(sep)
    .join('/');
  if (path !== '..' && !path.startsWith('../')) return path === '' ? '.' : path;
  throw new Refusal({
    code: 'context.unknown-target',
    message: `${JSON.stringify(target)} lies outside the project`,
    hint: `Name a file below ${project}.`,
  });
}

/** With no link left in it. */
export function projectDir(context: CliContext, named: string | undefined): string {
  const dir = resolve(context.cwd, named ?? '.');
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
