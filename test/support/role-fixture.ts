/** Roles in the three role folders, as texts. */
import type { LoadedRole } from '../../src/roles/load-role.ts';
import { loadRole } from '../../src/roles/load-role.ts';
import type { RoleFiles } from '../../src/roles/role-path.ts';
import { roleSources } from '../../src/roles/role-path.ts';
import { TrustedProject } from '../../src/trust/trusted-project.ts';

export type RoleTexts = Readonly<Record<string, string>>;

/** `p/`, `u/` and `b/` stand for the folders of the project, the user and the package. */
export const FOLDERS = { p: '/p/.supervisor/roles', u: '/u/roles', b: '/b/base_roles' } as const;
export const search = roleSources({
  home: '/u',
  project: TrustedProject.fromTexts('/p', {}),
  packageData: '/b',
});

export function writeRoles(texts: RoleTexts): RoleFiles {
  const paths = new Map(
    Object.entries(texts).map(([short, text]) => {
      const folder = FOLDERS[short.slice(0, 1) as keyof typeof FOLDERS];
      return [`${folder}${short.slice(1)}`, text];
    }),
  );
  return {
    read: async (path) => paths.get(path),
    list: async (folder) =>
      [...paths.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1)),
  };
}

export const BASE = 'description: d\nsystem_prompt: be good\n';

export function loadTexts(name: string, texts: RoleTexts): Promise<LoadedRole> {
  return loadRole(name, search, writeRoles(texts));
}
