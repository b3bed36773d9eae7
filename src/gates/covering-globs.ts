import { linearRegex } from '../base/linear-regex.ts';
import { simpleGlobSource } from '../base/simple-glob.ts';

/** Whether one of the globs covers a path. A glob also covers everything below what it matches. */
export function coveringGlobs(globs: readonly string[], inside: string): (path: string) => boolean {
  const prefix = inside === '' ? '' : `${inside}/`;
  const all = globs.map((glob) =>
    linearRegex(`^${simpleGlobSource(`${prefix}${glob.replace(/\/$/, '')}`)}(?:/.*)?$`),
  );
  return (path) => all.some(({ matches }) => matches(path));
}
