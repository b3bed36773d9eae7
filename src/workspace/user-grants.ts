/**
 * Resources of the user that an agent gets besides the project, because the user's configuration lists them:
 * toolchains under the home, a name for commits, files such as `.env` that are in no repository. Every grant is a
 * value for the record. A grant that would expose a secret or a way out is refused.
 */
import { isAbsolute, join, normalize } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { isWithin, sharingObjection, secretPaths } from '../base/secret-paths.ts';
import { objectionToPath } from './path-rules.ts';

export type DeclaredGrant =
  /** A folder or file that can be read at its own path: `~/.cargo`, `/opt/sdk`. */
  | { readonly kind: 'toolchain'; readonly path: string }
  /** An ignored file of the project, copied into the workspace: `.env.test`. */
  | { readonly kind: 'project-file'; readonly path: string }
  | { readonly kind: 'git-identity'; readonly name: string; readonly email: string };

export type ResolvedGrant =
  | { readonly kind: 'mount-read-only'; readonly path: string }
  | { readonly kind: 'copy'; readonly from: string; readonly to: string }
  | { readonly kind: 'git-identity'; readonly name: string; readonly email: string };

export type GrantPaths = {
  readonly userHome: string;
  /** The folder of our own state. */
  readonly home: string;
  readonly root: string;
  /** The path with symlinks resolved. Undefined if it does not exist. */
  readonly realPath: (path: string) => string | undefined;
};

const LINE = /[\r\n\0]/;

/** Refuses with `workspace.unsafe-grant`, naming the entry. A missing path is left out. */
export function resolveGrants(
  declared: readonly DeclaredGrant[],
  grantPaths: GrantPaths,
): readonly ResolvedGrant[] {
  return declared.flatMap((grant): readonly ResolvedGrant[] => {
    switch (grant.kind) {
      case 'git-identity':
        if (
          [grant.name, grant.email].some(
            (word) => word === '' || LINE.test(word) || /[<>]/.test(word),
          )
        )
          throw unsafe(`${grant.name} <${grant.email}>`, 'is not a valid name for a commit');
        return [grant];
      case 'project-file':
        return projectFile(grant.path, grantPaths);
      case 'toolchain':
        return toolchain(grant.path, grantPaths);
    }
  });
}

function projectFile(path: string, { root, realPath }: GrantPaths): readonly ResolvedGrant[] {
  const why = objectionToPath(path);
  if (why !== undefined) throw unsafe(path, why);
  const from = realPath(join(root, path));
  if (from === undefined) return [];
  if (!isWithin(from, root)) throw unsafe(path, 'points out of the project');
  return [{ kind: 'copy', from, to: path }];
}

function toolchain(
  path: string,
  { userHome, home, root, realPath }: GrantPaths,
): readonly ResolvedGrant[] {
  const full = path === '~' || path.startsWith('~/') ? join(userHome, path.slice(1)) : path;
  if (!isAbsolute(full) || LINE.test(full)) throw unsafe(path, 'is not an absolute path');
  const written = normalize(full).replace(/(?<=.)\/$/, '');
  const real = realPath(written);
  if (real === undefined) return [];
  const why = sharingObjection(written, 'ro', secretPaths({ userDir: userHome, realPath }));
  if (why !== undefined) throw unsafe(path, why);
  for (const one of new Set([written, real])) {
    if (one.endsWith('.sock')) throw unsafe(path, 'belongs to the machine');
    if (isWithin(home, one) || isWithin(one, home))
      throw unsafe(path, "contains Supervisor's own state");
    if (isWithin(root, one)) throw unsafe(path, 'contains the project itself');
  }
  return [{ kind: 'mount-read-only', path: real }];
}

function unsafe(path: string, why: string): Refusal {
  return new Refusal({
    code: 'workspace.unsafe-grant',
    message: `${JSON.stringify(path)} cannot be granted to an agent: it ${why}.`,
    hint: 'Name the one folder or file that is needed.',
  });
}
