/**
 * Merges files and flags into one frozen `Settings`, or refuses with all problems at once.
 * Priority: package defaults < the user's file < the project's file < flags.
 */
import { basename, join } from 'node:path';
import { errnoWords } from '../host/files/errno.ts';
import { deepFreeze } from '../base/deep-freeze.ts';
import { Refusal } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import { toSettings } from '../settings/settings.ts';
import type { Settings } from '../settings/settings.ts';
import { PROJECT_FOLDER } from '../trust/project-folder.ts';
import type { TrustedProject } from '../trust/trusted-project.ts';
import { isSecret } from '../yaml/schema-faults.ts';
import { danglingTarget, realPathSync } from '../host/files/real-path.ts';
import { checkConfigNames, checkConfigTree } from './check-config.ts';
import { checkProject, NOT_FOR_PROJECTS, ruleContext } from './check-project.ts';
import { loadOrganization } from './load-organization.ts';
import { pinScripts } from './pin-scripts.ts';
import type { ProjectRuleContext } from './project-rules.ts';
import { quote, yamlRefusal, describePlace } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { readYaml, TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';
import type { Reading } from '../yaml/read-yaml.ts';
import {
  emptyMap,
  listLeaves,
  mergeLayers,
  pathText,
  treeAt,
  withoutNulls,
} from '../yaml/yaml-tree.ts';
import type { TextPlace, YamlTree } from '../yaml/yaml-tree.ts';

/**
 * The text of a file, or undefined if there is none. Rejects if the file exists and cannot be read.
 * One byte beyond `bytesMax` is enough, because a longer file is refused anyway.
 */
export type ReadFile = (path: string, bytesMax: number) => Promise<string | undefined>;

export type ConfigFlags = {
  /** Each is `key=value`, such as `attempt.grace=5s`; the value is YAML. Later ones override earlier ones. */
  readonly set?: readonly string[];
  /** In the form of a configuration file; undefined keys are ignored. They override `set`. */
  readonly values?: { readonly [key: string]: Json | undefined };
};

export type LoadOptions = {
  /** The directory of the user's state, `$SUPERVISOR_HOME`. */
  readonly home: string;
  /** A project whose files the user trusts; absent outside a project. */
  readonly project?: TrustedProject;
  /** The folder that `~` stands for in paths. */
  readonly userDir: string;
  readonly flags?: ConfigFlags;
  readonly readFile: ReadFile;
};

export type LoadedSettings = {
  readonly settings: Settings;
  /** The values of all files and flags, as written, each with its place. */
  readonly written: YamlTree;
  /** One sentence each. Warnings never stop a command. */
  readonly warnings: readonly string[];
};

export async function loadSettings(options: LoadOptions): Promise<LoadedSettings> {
  const { home, project, userDir, flags = {}, readFile } = options;
  const userLayers = await readUser(readFile, join(home, 'config.yaml'));
  const projectLayers = project === undefined ? [] : await readProject(readFile, project);
  const flagLayers = (flags.set ?? []).map(readSet);
  if (flags.values !== undefined)
    flagLayers.push(readLayer(JSON.stringify(flags.values), () => atFlag('flags')));
  refuseInvalid([...userLayers, ...projectLayers, ...flagLayers]);
  const context =
    project === undefined ? undefined : ruleContext(project.root, userDir, realPathSync);
  if (context !== undefined) refuseProject(userLayers, projectLayers, context);
  const { settings, written } = merge([...userLayers, ...projectLayers, ...flagLayers], userDir);
  const warnings = warnOfSecrets(projectLayers);
  if (project === undefined || context === undefined)
    return deepFreeze({ settings, written, warnings });
  const marked = markProjectAgents(settings, written, projectFile(project));
  const pinned = await pinScripts(marked, written, project, context, readFile);
  const active = await withOrganization(pinned, project);
  return deepFreeze({ settings: active, written, warnings });
}

/** Its files come from the bytes that the user has trusted, so nothing is read here. */
async function withOrganization(settings: Settings, project: TrustedProject): Promise<Settings> {
  const folder = join(project.root, PROJECT_FOLDER, 'organization');
  const texts = project.over({ read: async () => undefined, list: async () => [] });
  const organization = await loadOrganization(folder, {
    read: (path, bytesMax) => texts.read(join(folder, path), bytesMax),
    list: (path) => texts.list(join(folder, path)),
  });
  if (organization === undefined) return settings;
  return { ...settings, steering: { ...settings.steering, organization } };
}

/** A link was made on purpose, so a missing target is a mistake and not an absent file. */
async function readUser(readFile: ReadFile, file: string): Promise<Reading[]> {
  const layers = await readLayerFile(readFile, file);
  const target = layers.length > 0 ? undefined : danglingTarget(file);
  if (target === undefined) return layers;
  throw new Refusal({
    code: 'config.unreadable',
    message: `${file}: the file cannot be read: it is a symbolic link to ${target}, which does not exist.`,
    hint: 'Create the file that the link names, or remove the link.',
    details: { file },
  });
}

function readProject(readFile: ReadFile, project: TrustedProject): Promise<Reading[]> {
  const { read } = project.over({ read: readFile, list: async () => [] });
  return readLayerFile(read, projectFile(project));
}

function projectFile({ root }: TrustedProject): string {
  return join(root, PROJECT_FOLDER, 'config.yaml');
}

/** Empty if there is no file. */
async function readLayerFile(readFile: ReadFile, file: string): Promise<Reading[]> {
  const text = await readText(readFile, file);
  if (text !== undefined) return [readLayer(text, inFile(file))];
  const other = file.replace(/yaml$/, 'yml');
  if ((await readText(readFile, other)) === undefined) return [];
  throw new Refusal({
    code: 'config.invalid',
    message: `${other} has a name that is not read.`,
    hint: `Rename it to ${basename(file)}.`,
    details: { file: other },
  });
}

/** Reads the text of one file as a layer, and refuses what `loadSettings` would refuse in it. */
export function parseConfigText(text: string, file: string): YamlTree {
  const { tree, problems } = readLayer(text, inFile(file));
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  return tree;
}

async function readText(readFile: ReadFile, file: string): Promise<string | undefined> {
  try {
    return await readFile(file, TEXT_BYTES_MAX);
  } catch (error) {
    // Any error here means that the user must fix the file, so it is a refusal and not a defect.
    const message = `${file}: the file cannot be read: ${errnoWords(error)}`;
    const hint = 'Make the file readable, or move it away.';
    const data = { code: 'config.unreadable', message, hint, details: { file } } as const;
    throw new Refusal(data, { cause: error });
  }
}

const INVALID = {
  code: 'config.invalid',
  hint: 'Fix the file or flag. `supervisor schema config` prints all known keys.',
} as const;

function readLayer(text: string, toPlace: (line: number, column: number) => TextPlace): Reading {
  const { tree, problems } = readYaml(text, toPlace);
  return withCheck(tree, problems);
}

/** Adds the problems that the schema finds, in the order of the file. */
function withCheck(tree: YamlTree, problems: readonly Problem[]): Reading {
  const checked = checkConfigTree(tree);
  const faults = checked.kind === 'faulty' ? checked.problems : [];
  return { tree, problems: distinct([...problems, ...faults]).toSorted(byPlace) };
}

/** The schema can report one problem twice, with the same message. */
function distinct(problems: readonly Problem[]): Problem[] {
  const byMessage = problems.map((problem): [string, Problem] => [
    `${describePlace(problem.place)} ${problem.message}`,
    problem,
  ]);
  return [...new Map(byMessage).values()];
}

function byPlace({ place: a }: Problem, { place: b }: Problem): number {
  return a.line - b.line || a.column - b.column;
}

function inFile(file: string): (line: number, column: number) => TextPlace {
  return (line, column) => ({ file, line, column });
}

function atFlag(flag: string): TextPlace {
  return { file: flag, line: 0, column: 0, isFlag: true };
}

const SET_KEY = /^[a-z_]+(?:\.[a-z_]+){0,9}$/;

function readSet(flag: string): Reading {
  const [key = '', ...rest] = flag.split('=');
  const value = rest.join('=');
  const refused = (place: TextPlace, message: string): Reading => ({
    tree: emptyMap(place),
    problems: [{ place, key, message }],
  });
  if (!SET_KEY.test(key) || rest.length === 0)
    return refused(
      atFlag('--set'),
      `expected key=value, such as attempt.grace=5s, found the key ${quote(key)}`,
    );
  if (value.trim() === '')
    return refused(atFlag(`--set ${key}`), 'no value: use null to restore the default');
  const place = atFlag(`--set ${key}`);
  const { tree, problems } = readYaml(value, () => place);
  const nested = key.split('.').reduceRight(
    (inner: YamlTree, name): YamlTree => ({
      kind: 'map',
      place,
      fresh: false,
      entries: [{ key: name, place, value: inner }],
    }),
    tree,
  );
  return problems.length > 0 ? { tree: nested, problems } : withCheck(nested, []);
}

function refuseInvalid(readings: readonly Reading[]): void {
  const problems = readings.flatMap((reading) => reading.problems);
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
}

/** Refuses the keys that even a trusted project may not set. */
function refuseProject(
  userLayers: readonly Reading[],
  projectLayers: readonly Reading[],
  context: ProjectRuleContext,
): void {
  const userTree = mergeLayers(userLayers.map(({ tree }) => tree));
  const own = checkConfigTree(withoutNulls(userTree));
  if (own.kind === 'faulty') throw yamlRefusal(own.problems, INVALID);
  for (const { tree } of projectLayers) {
    const checked = checkConfigTree(tree);
    if (checked.kind === 'faulty') throw yamlRefusal(checked.problems, INVALID);
    const problems = checkProject({ tree, userTree, user: own.settings, context });
    if (problems.length > 0) throw yamlRefusal(problems, NOT_FOR_PROJECTS);
  }
}

/** Marks the agents that a project defines, because they never run without a sandbox. */
function markProjectAgents(settings: Settings, written: YamlTree, file: string): Settings {
  const agents = settings.agents.map((agent, index) =>
    treeAt(written, ['agents', index])?.place.file === file
      ? { ...agent, fromProject: true as const }
      : agent,
  );
  return { ...settings, agents };
}

function merge(readings: readonly Reading[], userDir: string): Omit<LoadedSettings, 'warnings'> {
  const written = withoutNulls(mergeLayers(readings.map(({ tree }) => tree)));
  const checked = checkConfigTree(written);
  if (checked.kind === 'faulty') throw yamlRefusal(checked.problems, INVALID);
  const nameProblems = checkConfigNames(written, checked.written);
  if (nameProblems.length > 0) throw yamlRefusal(nameProblems, INVALID);
  return { settings: toSettings(checked.written, userDir), written };
}

/** The project's file is often shared through version control. */
function warnOfSecrets(readings: readonly Reading[]): readonly string[] {
  return readings
    .flatMap(({ tree }) => listLeaves(tree))
    .filter(({ path, leaf }) => leaf.kind === 'scalar' && isSecret(path, leaf.value))
    .map(
      ({ path, leaf }) =>
        `${describePlace(leaf.place)}: ${pathText(path)} looks like a secret, and other people may see this file`,
    );
}
