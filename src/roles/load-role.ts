/**
 * One role out of its files: its own and those of the roles that it extends. Scalars override,
 * lists append, maps merge, prompts are joined; null takes back, and `replace` starts a list anew.
 */
import { describeError, Refusal } from '../base/errors.ts';
import { RoleFile, roleFileJsonSchema } from '../protocol/role-file.ts';
import { faultsOf, suggest } from '../yaml/faults.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote, refusalOf } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { readYaml, TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';
import { entryAt, mergeLayers, pathText, toValue, treeAt, withoutNulls } from '../yaml/tree.ts';
import type { Path, Tree } from '../yaml/tree.ts';
import { toRole } from './role.ts';
import type { Role } from './role.ts';
import { filesOnShelves } from './shelf.ts';
import type { Placed, RoleFiles, Shelf } from './shelf.ts';

export type LoadedRole = {
  readonly role: Role;
  /** Everything that its files say, each value with its place. */
  readonly said: Tree;
  /** The files themselves, the remotest ancestor first. */
  readonly layers: readonly { readonly placed: Placed; readonly tree: Tree }[];
};

const INVALID = {
  code: 'role.invalid',
  hint: 'Correct it there; `supervisor schema role` prints every key that is known.',
} as const;
const ANCESTORS_MAX = 10;

export async function loadRole(
  name: string,
  shelves: readonly Shelf[],
  files: RoleFiles,
): Promise<LoadedRole> {
  const { placed } = await filesOnShelves(shelves, files);
  const own = placed.find((one) => one.name === name);
  if (own === undefined) throw notFound(name, placed);
  return loadPlaced(own, placed, files);
}

/** `all` holds every role file, nearest first: parents are found there. */
export async function loadPlaced(
  own: Placed,
  all: readonly Placed[],
  files: RoleFiles,
): Promise<LoadedRole> {
  const layers = await ancestry(own, all, files);
  const said = withoutNulls(mergeLayers(layers.flatMap(({ tree }) => layersOf(tree))));
  const result = RoleFile.safeParse(toValue(said));
  const faults = result.success
    ? wholeFaults(own.name, said, result.data)
    : faultsOf(said, result.error.issues, roleFileJsonSchema());
  if (faults.length > 0 || !result.success) throw refusalOf(faults, INVALID);
  const { description = '', system_prompt = '', ...rest } = result.data;
  return { role: toRole(own.name, { ...rest, description, system_prompt }), said, layers };
}

type Layer = LoadedRole['layers'][number];

async function ancestry(
  own: Placed,
  all: readonly Placed[],
  files: RoleFiles,
): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  let placed = own;
  for (;;) {
    const tree = await readRoleFile(placed, files);
    layers.unshift({ placed, tree });
    const parent = entryAt(tree, 'extends')?.value;
    if (parent?.kind !== 'scalar' || parent.value === null) return layers;
    const refuse = (message: string, meant?: string): Refusal =>
      refusalOf([{ place: parent.place, key: 'extends', message, nearest: meant }], INVALID);
    const wanted = String(parent.value);
    const next = parentOf(placed, wanted, all);
    if (next === undefined) {
      const meant = nearest(
        wanted,
        all.map(({ name }) => name),
      );
      throw refuse(`extends: no role is called ${quote(wanted)}${suggest(meant)}`, meant);
    }
    if (layers.some((layer) => layer.placed.file === next.file)) {
      const circle = [...layers.map((layer) => layer.placed.name).toReversed(), next.name];
      throw refuse(`extends: a circle: ${circle.join(' → ')}`);
    }
    if (layers.length >= ANCESTORS_MAX)
      throw refuse(`extends: more than ${ANCESTORS_MAX} roles deep`);
    placed = next;
  }
}

/** A role that extends its own name lies over the one that it hides. */
function parentOf(child: Placed, name: string, all: readonly Placed[]): Placed | undefined {
  const behind = name === child.name ? all.slice(all.indexOf(child) + 1) : all;
  return behind.find((one) => one.name === name) ?? (name === child.name ? child : undefined);
}

async function readRoleFile({ name, file }: Placed, files: RoleFiles): Promise<Tree> {
  const text = await readText(file, files);
  const { tree, problems } = readYaml(text, (line, column) => ({ file, line, column }));
  if (problems.length > 0) throw refusalOf(problems, INVALID);
  const result = RoleFile.safeParse(toValue(tree));
  const faults = result.success ? [] : faultsOf(tree, result.error.issues, roleFileJsonSchema());
  const said = treeAt(tree, ['name']);
  if (said?.kind === 'scalar' && typeof said.value === 'string' && said.value !== name)
    faults.push(at(tree, ['name'], `name: expected ${quote(name)}, as the file is called`));
  if (faults.length > 0) throw refusalOf(faults, INVALID);
  return tree;
}

async function readText(file: string, files: RoleFiles): Promise<string> {
  try {
    return (await files.read(file, TEXT_BYTES_MAX)) ?? '';
  } catch (error) {
    // a file that is there and can't be read is the user's to mend, whatever the machine calls it
    const message = `${file}: the file can not be read: ${describeError(error)}`;
    const hint = 'Make it a file that you may read, or move it away.';
    throw new Refusal({ code: 'role.invalid', message, hint, details: { file } }, { cause: error });
  }
}

/** Additions are one more layer with a prompt, so that they are joined like any other. */
function layersOf(tree: Tree): readonly Tree[] {
  if (tree.kind !== 'map') return [tree];
  const own = tree.entries.filter(
    ({ key }) => !['name', 'extends', 'system_prompt_additions'].includes(key),
  );
  const additions = entryAt(tree, 'system_prompt_additions');
  const first: Tree = { ...tree, entries: own };
  if (additions === undefined) return [first];
  return [first, { ...tree, entries: [{ ...additions, key: 'system_prompt' }] }];
}

function wholeFaults(name: string, said: Tree, role: RoleFile): readonly Problem[] {
  const problems: Problem[] = [];
  for (const key of ['description', 'system_prompt'] as const) {
    if (role[key] === undefined)
      problems.push(at(said, [], `the role ${quote(name)} has no ${key}, nor has one it extends`));
  }
  const taken = new Set<string>();
  for (const [index, gate] of role.gates.entries()) {
    if (taken.has(gate.name)) {
      const path = ['gates', index, 'name'];
      problems.push(
        at(said, path, `${pathText(path)}: there is a gate ${quote(gate.name)} already`),
      );
    }
    taken.add(gate.name);
  }
  return problems;
}

function at(tree: Tree, path: Path, message: string): Problem {
  return { place: (treeAt(tree, path) ?? tree).place, key: pathText(path), message };
}

function notFound(name: string, placed: readonly Placed[]): Refusal {
  const names = placed.map((one) => one.name);
  return new Refusal({
    code: 'role.not-found',
    message: `no role is called ${quote(name)}${suggest(nearest(name, names))}`,
    hint: 'See them with: supervisor roles list',
    details: { role: name },
  });
}
