import { isRefusal } from '../base/errors.ts';
import { describePlace } from '../yaml/problem.ts';
import { loadPlaced } from './load-role.ts';
import { listRoleFiles } from './role-path.ts';
import type { RoleLevel, RoleFiles, RoleSource } from './role-path.ts';

export type RoleLine = {
  readonly name: string;
  readonly level: RoleLevel;
  /** The role pack that it belongs to. */
  readonly pack: string | null;
  readonly file: string;
  /** Null if its files are invalid. */
  readonly description: string | null;
  readonly cli: string | null;
  /** What it is good at. */
  readonly strengths: readonly string[];
};

export type RoleList = {
  readonly roles: readonly RoleLine[];
  /** All problems, with file and line. */
  readonly problems: readonly string[];
};

/** Lists every role once, as the nearest file with its name defines it. */
export async function listRoles(
  sources: readonly RoleSource[],
  files: RoleFiles,
): Promise<RoleList> {
  const { placed, problems } = await listRoleFiles(sources, files);
  const messages = new Set(
    problems.map(({ place, message }) => `${describePlace(place)}: ${message}`),
  );
  const roles: RoleLine[] = [];
  const seen = new Set<string>();
  for (const one of placed) {
    if (seen.has(one.name)) continue;
    seen.add(one.name);
    let found: Pick<RoleLine, 'description' | 'cli' | 'strengths'> = {
      description: null,
      cli: null,
      strengths: [],
    };
    try {
      found = (await loadPlaced(one, placed, files)).role;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      messages.add(error.message); // one invalid file must not hide the others
    }
    const { level, pack = null } = one.source;
    const { description, cli, strengths } = found;
    roles.push({ name: one.name, level, pack, file: one.file, description, cli, strengths });
  }
  return { roles, problems: [...messages] };
}
