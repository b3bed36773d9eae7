import { isRefusal } from '../base/errors.ts';
import { describePlace } from '../yaml/problem.ts';
import { loadPlaced } from './load-role.ts';
import { roleFilesIn } from './role-path.ts';
import type { RoleLevel, RoleFiles, RoleSource } from './role-path.ts';

export type RoleLine = {
  readonly name: string;
  readonly level: RoleLevel;
  /** The pack of the package that it belongs to. */
  readonly pack: string | null;
  readonly file: string;
  /** Null when its files are faulty. */
  readonly description: string | null;
  readonly cli: string | null;
};

export type RoleList = {
  readonly roles: readonly RoleLine[];
  /** Everything that is wrong, with file and line. */
  readonly problems: readonly string[];
};

/** Every role by its name, as the nearest file of that name defines it. */
export async function listRoles(
  shelves: readonly RoleSource[],
  files: RoleFiles,
): Promise<RoleList> {
  const { placed, problems } = await roleFilesIn(shelves, files);
  const told = new Set(problems.map(({ place, message }) => `${describePlace(place)}: ${message}`));
  const roles: RoleLine[] = [];
  const seen = new Set<string>();
  for (const one of placed) {
    if (seen.has(one.name)) continue;
    seen.add(one.name);
    let found: { description: string | null; cli: string | null } = {
      description: null,
      cli: null,
    };
    try {
      found = (await loadPlaced(one, placed, files)).role;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      told.add(error.message); // one bad file must not hide the others
    }
    const { level, pack = null } = one.shelf;
    const { description, cli } = found;
    roles.push({ name: one.name, level, pack, file: one.file, description, cli });
  }
  return { roles, problems: [...told] };
}
