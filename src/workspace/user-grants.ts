/**
 * What of the user's an agent is given besides the project, and only because a list of theirs says so:
 * toolchains under their home, their name for commits, files such as `.env` that no repository holds.
 * Every grant is a value for the record; one that would hand over a secret or a way out is refused.
 */
import { isAbsolute, join, normalize } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { isWithin, sharingObjection, secretPaths } from '../base/secret-paths.ts';
import { objectionToPath } from './path-rules.ts';

export type DeclaredGrant =
  /** A folder or a file that can be read at its own path: `~/.cargo`, `/opt/sdk`. */
  | { readonly kind: 'toolchain'; readonly path: string }
  /** A file of the project's that is ignored, copied into the workspace: `.env.test`. */
  | { readonly kind: 'project-file'; readonly path: string }
  | { readonly kind: 'git-identity'; readonly name: string; readonly email: string };

export type ResolvedGrant =
  | { readonly kind: 'mount-read-only'; readonly path: string }
  | { readonly kind: 'copy'; readonly from: string; readonly to: string }
  | { readonly kind: 'git-identity'; readonly name: string; readonly email: string };

export type GrantPaths = {
  readonly userHome: string;
  /** Where our own state lies. */
  readonly home: string;
  readonly root: string;
  /** A path with no symlink in it, or undefined where nothing is. */
  readonly realPath: (path: string) => string | undefined;
};

const LINE = /[\r\n\0]/;

/** Refuses with `workspace.unsafe-grant`, naming the entry. What is not there is left out: nothing to give. */
export function resolveGrants(
  declared: readonly DeclaredGrant[],
  places: GrantPaths,
): readonly ResolvedGrant[] {
  return declared.flatMap((grant): readonly ResolvedGrant[] => {
    switch (grant.kind) {
      case 'git-identity':
        if (
          [grant.name, grant.email].some(
            (word) => word === '' || LINE.test(word) || /[<>]/.test(word),
          )
        )
          throw unsafe(`${grant.name} <${grant.email}>`, 'is no name for a commit');
        return [grant];
      case 'project-file':
        return projectFile(grant.path, places);
      case 'toolchain':
        return toolchain(grant.path, places);
    }
  });
}

function projectFile(path: string, { root, realPath }: GrantPaths): readonly ResolvedGrant[] {
  const why = objectionToPath(path);
  if (why !== undefined) throw unsafe(path, why);
  const from = realPath(join(root, path));
  if (from === undefined) return [];
  if (!isWithin(from, root)) throw unsafe(path, 'leads out of the project');
  return [{ kind: 'copy', from, to: path }];
}

function toolchain(
  path: string,
  { userHome, home, root, realPath }: GrantPaths,
): readonly ResolvedGrant[] {
  const full = path === '~' || path.startsWith('~/') ? join(userHome, path.slice(1)) : path;
  if (!isAbsolute(full) || LINE.test(full)) throw unsafe(path, 'is no absolute path');
  const written = normalize(full).replace(/(?<=.)\/$/, '');
  const real = realPath(written);
  if (real === undefined) return [];
  const why = sharingObjection(written, 'ro', secretPaths({ userDir: userHome, realPath }));
  if (why !== undefined) throw unsafe(path, why);
  for (const one of new Set([written, real])) {
    if (one.endsWith('.sock')) throw unsafe(path, 'belongs to the machine');
    if (isWithin(home, one) || isWithin(one, home)) throw unsafe(path, 'holds our own state');
    if (isWithin(root, one)) throw unsafe(path, 'holds the project itself');
  }
  return [{ kind: 'mount-read-only', path: real }];
}

function unsafe(path: string, why: string): Refusal {
  return new Refusal({
    code: 'workspace.unsafe-grant',
    message: `${JSON.stringify(path)} can not be given to an agent: it ${why}.`,
    hint: 'Name the one folder or file that is needed.',
  });
}
