/** What a person types to name a pack: a package of npm, a repository, or a file. */
import { isAbsolute, join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { isPackName } from '../settings/pack-file.ts';

export type PackSource =
  /** `version`: an exact one, or a tag such as latest. */
  | { readonly kind: 'npm'; readonly name: string; readonly version: string }
  /** `ref`: a tag, a branch or a commit. */
  | { readonly kind: 'git'; readonly url: string; readonly ref: string }
  | { readonly kind: 'file'; readonly path: string };

const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+-]{0,80}$/;
/** No protocol that starts a program, and none that sends everything readable. */
const GIT_URL = /^git\+((?:https|ssh|file):\/\/[^\s#'"\\]{1,500})$/;
const REF = /^[0-9A-Za-z][0-9A-Za-z._/-]{0,200}$/;
const TARBALL = /\.(?:tgz|tar\.gz)$/;

export function parsePackSource(typed: string, cwd: string): PackSource {
  if (typed.startsWith('git+')) return parseGit(typed);
  if (TARBALL.test(typed) && !typed.includes('://'))
    return { kind: 'file', path: isAbsolute(typed) ? typed : join(cwd, typed) };
  const at = typed.lastIndexOf('@');
  const [name, version] = at > 0 ? [typed.slice(0, at), typed.slice(at + 1)] : [typed, 'latest'];
  if (isPackName(name) && VERSION.test(version)) return { kind: 'npm', name, version };
  throw invalid(typed);
}

function parseGit(typed: string): PackSource {
  const hash = typed.indexOf('#');
  const [address, ref] = hash < 0 ? [typed, 'HEAD'] : [typed.slice(0, hash), typed.slice(hash + 1)];
  const url = GIT_URL.exec(address)?.[1];
  if (url === undefined || !REF.test(ref) || ref.includes('..')) throw invalid(typed);
  return { kind: 'git', url, ref };
}

export function describeSource(source: PackSource): string {
  switch (source.kind) {
    case 'npm':
      return `npm ${source.name}@${source.version}`;
    case 'git':
      return `${source.url}#${source.ref}`;
    case 'file':
      return source.path;
  }
}

function invalid(typed: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(typed)} names no pack.`,
    hint: 'Write NAME or NAME@VERSION for a package of npm, git+https://HOST/PATH#TAG for a repository, or the path of a .tgz file.',
  });
}
