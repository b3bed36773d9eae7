/** Where roles are found, nearest first: in the project, in the user's home, in the package, in installed packs. */
import { join } from 'node:path';
import { isRoleName } from '../settings/role-file.ts';
import type { Problem } from '../yaml/problem.ts';
import { COMMUNITY_FOLDER, PROJECT_FOLDER } from '../trust/project-folder.ts';
import type { TrustedProject } from '../trust/trusted-project.ts';
import { quote } from '../yaml/problem.ts';
import { PACKS } from './packs.ts';

export type RoleLevel = 'project' | 'user' | 'package' | 'community';

export type RoleSource = {
  readonly level: RoleLevel;
  readonly folder: string;
  /** The id of a role pack; absent for other sources. */
  readonly pack?: string;
};

/** Reads role files. Both functions reject if a file or folder exists and cannot be read. */
export interface RoleFiles {
  /** Undefined if there is no file. One byte beyond `bytesMax` is enough. */
  read(path: string, bytesMax: number): Promise<string | undefined>;
  /** The names of the files in a folder; empty if there is no folder. */
  list(folder: string): Promise<readonly string[]>;
}

export type RoleSourceOptions = {
  /** The directory of the user's state, `$SUPERVISOR_HOME`. */
  readonly home: string;
  /** Absent outside a project. */
  readonly project?: TrustedProject;
  /** The folder of the files that the package contains. */
  readonly packageData: string;
};

export function roleSources({
  home,
  project,
  packageData,
}: RoleSourceOptions): readonly RoleSource[] {
  const own = project === undefined ? [] : [join(project.root, PROJECT_FOLDER, 'roles')];
  const users = join(home, 'roles');
  return [
    ...own
      .filter((folder) => folder !== users) // the project may be the home directory itself
      .map((folder): RoleSource => ({ level: 'project', folder })),
    { level: 'user', folder: users },
    { level: 'package', folder: join(packageData, 'base_roles') },
    ...PACKS.map(({ id }): RoleSource => ({
      level: 'package',
      folder: join(packageData, 'packs', id),
      pack: id,
    })),
    // They come last, so that no pack can take the place of another role.
    { level: 'community', folder: join(home, COMMUNITY_FOLDER, 'roles') },
  ];
}

export type PlacedRole = {
  readonly name: string;
  readonly file: string;
  readonly source: RoleSource;
};

/** Every role file, nearest first, and the problems with the names of other files. */
export async function listRoleFiles(
  sources: readonly RoleSource[],
  files: RoleFiles,
): Promise<{ readonly placed: readonly PlacedRole[]; readonly problems: readonly Problem[] }> {
  const placed: PlacedRole[] = [];
  const problems: Problem[] = [];
  for (const source of sources) {
    for (const file of await files.list(source.folder)) {
      const name = /^(.*)\.ya?ml$/i.exec(file)?.[1];
      if (name === undefined) continue; // a note beside the roles
      const path = join(source.folder, file);
      if (file === `${name}.yaml` && isRoleName(name)) placed.push({ name, file: path, source });
      else problems.push({ place: { file: path, line: 0, column: 0 }, key: '', message: misnamed });
    }
  }
  return { placed, problems };
}

const misnamed = `the file of a role needs a name such as ${quote('api_dev.yaml')}: lowercase letters, digits, _ and -`;
