/** Where roles lie, nearest first: the project's, the user's, those of the package. */
import { join } from 'node:path';
import { isRoleName } from '../protocol/role-file.ts';
import type { Problem } from '../yaml/problem.ts';
import { PROJECT_FOLDER } from '../trust/project-folder.ts';
import type { TrustedProject } from '../trust/trusted-project.ts';
import { quote } from '../yaml/problem.ts';
import { PACKS } from './packs.ts';

export type Level = 'project' | 'user' | 'package';

export type Shelf = {
  readonly level: Level;
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

export type ShelfOptions = {
  /** The directory of the user's state, `$SUPERVISOR_HOME`. */
  readonly home: string;
  /** Absent outside a project. */
  readonly project?: TrustedProject;
  /** The folder of the files that are shipped with the package. */
  readonly packageData: string;
};

export function shelves({ home, project, packageData }: ShelfOptions): readonly Shelf[] {
  const own = project === undefined ? [] : [join(project.root, PROJECT_FOLDER, 'roles')];
  const users = join(home, 'roles');
  return [
    ...own
      .filter((folder) => folder !== users) // the project may be the home directory itself
      .map((folder): Shelf => ({ level: 'project', folder })),
    { level: 'user', folder: users },
    { level: 'package', folder: join(packageData, 'base_roles') },
    ...PACKS.map(({ id }): Shelf => ({
      level: 'package',
      folder: join(packageData, 'packs', id),
      pack: id,
    })),
  ];
}

export type Placed = { readonly name: string; readonly file: string; readonly shelf: Shelf };

/** Every role file, nearest first, and what is wrong with the names of the others. */
export async function filesOnShelves(
  shelves: readonly Shelf[],
  files: RoleFiles,
): Promise<{ readonly placed: readonly Placed[]; readonly problems: readonly Problem[] }> {
  const placed: Placed[] = [];
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
