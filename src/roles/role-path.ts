/** Where roles lie, nearest first: the project's, the user's, those of the package. */
import { join } from 'node:path';
import { isRoleName } from '../settings/role-file.ts';
import type { Problem } from '../yaml/problem.ts';
import { PROJECT_FOLDER } from '../trust/project-folder.ts';
import type { TrustedProject } from '../trust/trusted-project.ts';
import { quote } from '../yaml/problem.ts';
import { PACKS } from './packs.ts';

export type RoleLevel = 'project' | 'user' | 'package';

export type RoleSource = {
  readonly level: RoleLevel;
  readonly folder: string;
  /** Which of the package's packs it is; absent for its base roles. */
  readonly pack?: string;
};

/** The texts of role files. Both reject when something is there and can't be read. */
export interface RoleFiles {
  /** Undefined when there is none. It need not read more than one byte beyond `bytesMax`. */
  read(path: string, bytesMax: number): Promise<string | undefined>;
  /** The names of the files in a folder; none where there is no folder. */
  list(folder: string): Promise<readonly string[]>;
}

export type RoleSourceOptions = {
  /** The directory of the user's state, `$SUPERVISOR_HOME`. */
  readonly home: string;
  /** Absent outside a project. */
  readonly project?: TrustedProject;
  /** The folder of the files that are shipped with the package. */
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
  ];
}

export type PlacedRole = {
  readonly name: string;
  readonly file: string;
  readonly shelf: RoleSource;
};

/** Every role file, nearest first, and what is wrong with the names of the others. */
export async function roleFilesIn(
  shelves: readonly RoleSource[],
  files: RoleFiles,
): Promise<{ readonly placed: readonly PlacedRole[]; readonly problems: readonly Problem[] }> {
  const placed: PlacedRole[] = [];
  const problems: Problem[] = [];
  for (const shelf of shelves) {
    for (const file of await files.list(shelf.folder)) {
      const name = /^(.*)\.ya?ml$/i.exec(file)?.[1];
      if (name === undefined) continue; // a note beside the roles
      const path = join(shelf.folder, file);
      if (file === `${name}.yaml` && isRoleName(name)) placed.push({ name, file: path, shelf });
      else problems.push({ place: { file: path, line: 0, column: 0 }, key: '', message: misnamed });
    }
  }
  return { placed, problems };
}

const misnamed = `a role's file has a name such as ${quote('api_dev.yaml')}: small letters, digits, _ and -`;
