/**
 * Loads one role from its own file and those of the roles that it extends. Scalars override, lists
 * append, maps merge, prompts are joined. Null removes a value, and `replace` replaces a list.
 */
import { errnoWords } from '../host/files/errno.ts';
import { Refusal, isRefusal } from '../base/errors.ts';
import { RoleFile, roleFileJsonSchema } from '../settings/role-file.ts';
import { schemaFaults, suggest } from '../yaml/schema-faults.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote, yamlRefusal } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import type { ExtendedLayer } from '../yaml/read-extended.ts';
import { misnamedFault, readExtended } from '../yaml/read-extended.ts';
import { TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';
import { readYamlFile } from '../yaml/read-yaml-file.ts';
import {
  entryAt,
  mergeLayers,
  pathText,
  toValue,
  treeAt,
  withoutNulls,
} from '../yaml/yaml-tree.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';
import { toRole } from './role.ts';
import type { Role } from './role.ts';
import { listRoleFiles } from './role-path.ts';
import type { PlacedRole, RoleFiles, RoleSource } from './role-path.ts';

export type LoadedRole = {
  readonly role: Role;
  /** The merged values of its files, each with its place. */
  readonly written: YamlTree;
  /** The files, with the most distant ancestor first. */
  readonly layers: readonly ExtendedLayer<PlacedRole>[];
};

const INVALID = {
  code: 'role.invalid',
  hint: 'Fix the file. `supervisor schema role` prints all known keys.',
} as const;

export async function loadRole(
  name: string,
  sources: readonly RoleSource[],
  files: RoleFiles,
): Promise<LoadedRole> {
  const { placed } = await listRoleFiles(sources, files);
  const own = placed.find((one) => one.name === name);
  if (own === undefined) throw notFound(name, placed);
  return loadPlaced(own, placed, files);
}

/** `all` contains every role file, nearest first. Parents are looked up there. */
export async function loadPlaced(
  own: PlacedRole,
  all: readonly PlacedRole[],
  files: RoleFiles,
): Promise<LoadedRole> {
  const read = (placed: PlacedRole): Promise<YamlTree> => readRoleFile(placed, files);
  const layers = await readExtended(own, { all, read, noun: 'role', invalid: INVALID });
  const written = withoutNulls(mergeLayers(layers.flatMap(({ tree }) => splitAdditions(tree))));
  const result = RoleFile.safeParse(toValue(written));
  const faults = result.success
    ? wholeFaults(own.name, written, result.data)
    : schemaFaults(written, result.error.issues, roleFileJsonSchema());
  if (faults.length > 0 || !result.success) throw yamlRefusal(faults, INVALID);
  const { description = '', system_prompt = '', ...rest } = result.data;
  return { role: toRole(own.name, { ...rest, description, system_prompt }), written, layers };
}

async function readRoleFile({ name, file }: PlacedRole, files: RoleFiles): Promise<YamlTree> {
  const text = await readText(file, files);
  const { tree, problems } = readYamlFile(text, file);
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  const result = RoleFile.safeParse(toValue(tree));
  const faults = result.success
    ? []
    : schemaFaults(tree, result.error.issues, roleFileJsonSchema());
  faults.push(...misnamedFault(tree, name));
  if (faults.length > 0) throw yamlRefusal(faults, INVALID);
  return tree;
}

async function readText(file: string, files: RoleFiles): Promise<string> {
  try {
    return (await files.read(file, TEXT_BYTES_MAX)) ?? '';
  } catch (error) {
    if (isRefusal(error)) throw error;
    // Any other error here means that the user must fix the file, so it is a refusal and not a defect.
    const message = `${file}: the file cannot be read: ${errnoWords(error)}`;
    const hint = 'Make the file readable, or move it away.';
    throw new Refusal({ code: 'role.invalid', message, hint, details: { file } }, { cause: error });
  }
}

/** Additions become one more layer with a prompt, so that they are joined like any other. */
function splitAdditions(tree: YamlTree): readonly YamlTree[] {
  if (tree.kind !== 'map') return [tree];
  const own = tree.entries.filter(
    ({ key }) => !['name', 'extends', 'system_prompt_additions'].includes(key),
  );
  const additions = entryAt(tree, 'system_prompt_additions');
  const first: YamlTree = { ...tree, entries: own };
  if (additions === undefined) return [first];
  return [first, { ...tree, entries: [{ ...additions, key: 'system_prompt' }] }];
}

function wholeFaults(name: string, written: YamlTree, role: RoleFile): readonly Problem[] {
  const problems: Problem[] = [];
  for (const key of ['description', 'system_prompt'] as const) {
    if (role[key] === undefined)
      problems.push(
        at(written, [], `the role ${quote(name)} has no ${key}, and extends no role that has one`),
      );
  }
  const taken = new Set<string>();
  for (const [index, gate] of role.gates.entries()) {
    if (taken.has(gate.name)) {
      const path = ['gates', index, 'name'];
      problems.push(
        at(written, path, `${pathText(path)}: the name ${quote(gate.name)} is already taken`),
      );
    }
    taken.add(gate.name);
  }
  return problems;
}

function at(tree: YamlTree, path: YamlPath, message: string): Problem {
  return { place: (treeAt(tree, path) ?? tree).place, key: pathText(path), message };
}

function notFound(name: string, placed: readonly PlacedRole[]): Refusal {
  const names = placed.map((one) => one.name);
  return new Refusal({
    code: 'role.not-found',
    message: `no role is called ${quote(name)}${suggest(nearest(name, names))}`,
    hint: 'See them with: supervisor roles list',
    details: { role: name },
  });
}
