/**
 * Finds the gates and the setup of a project. A pure function of its files: nothing is read, started or changed
 * here.
 */
import { shellWord } from '../base/shell-words.ts';
import { detectNode } from './detect-node.ts';
import {
  detectByFile,
  detectGo,
  detectJava,
  detectPhp,
  detectRuby,
  detectRust,
} from './detect-others.ts';
import { detectPython } from './detect-python.ts';
import { detectTask } from './detect-tasks.ts';
import type { ProjectListing } from './listing.ts';
import { FolderListing } from './listing.ts';
import type { CheckKind, Language, MissingDependencies, ProjectPart } from './project-part.ts';

export type DetectedGate = {
  readonly name: string;
  readonly command: readonly string[];
  /** Where it was found. */
  readonly why: string;
};

export type DetectedSetup = {
  readonly command: readonly string[];
  readonly inputs: readonly string[];
  readonly network: readonly string[];
};

export type FolderPart = ProjectPart & {
  /** Empty for the project itself. */
  readonly folder: string;
};

export type DetectedCommands = {
  readonly parts: readonly FolderPart[];
  readonly gates: readonly DetectedGate[];
  readonly setup: DetectedSetup | null;
  /** Dependencies for which no setup is known, in sentences. */
  readonly notes: readonly string[];
};

const DETECTORS = [
  detectNode,
  detectPython,
  detectGo,
  detectRust,
  detectJava,
  detectRuby,
  detectPhp,
  detectByFile,
];
const KINDS = ['test', 'lint', 'typecheck'] as const;
const PARTS_MAX = 6;
/** Folders whose content is not a part of the project with checks of its own. */
const NOT_A_PART =
  /^(?:\..*|node_modules|vendor|third[_-]party|examples?|samples?|docs?|fixtures|tests?|spec|scripts|benchmarks?|bench)$/;

export function detectCommands(listing: ProjectListing): DetectedCommands {
  const parts = findParts(listing);
  const gates = [...nameGates(parts), ...taskGates(new FolderListing(listing, ''), parts)].toSorted(
    (one, other) => orderOf(one.kind) - orderOf(other.kind),
  );
  return {
    parts,
    gates: gates.map(({ name, command, why }) => ({ name, command, why })),
    setup: combineSetups(parts),
    notes: parts.flatMap(noteOf),
  };
}

/** The project itself, and the folders in it that have a language which the project itself does not have. */
function findParts(listing: ProjectListing): readonly FolderPart[] {
  const folders = new Set(
    listing.paths.flatMap((path) => {
      const [first = '', ...rest] = path.split('/');
      return rest.length === 0 || NOT_A_PART.test(first) ? [] : [first];
    }),
  );
  const top = detectIn(listing, '');
  const known = new Set<Language>(top.map(({ language }) => language));
  const below = [...folders]
    .toSorted()
    .flatMap((folder) => detectIn(listing, folder).filter(({ language }) => !known.has(language)));
  return [...top, ...below].slice(0, PARTS_MAX);
}

function detectIn(listing: ProjectListing, folder: string): readonly FolderPart[] {
  const files = new FolderListing(listing, folder);
  return DETECTORS.flatMap((detect) => {
    const part = detect(files);
    return part === undefined ? [] : [{ ...part, folder }];
  });
}

type NamedGate = DetectedGate & { readonly kind: CheckKind };

/** A check that several parts have is named after the part too: `test web`. */
function nameGates(parts: readonly FolderPart[]): readonly NamedGate[] {
  const all = parts.flatMap((part) => part.checks.map((check) => ({ ...check, part })));
  const languages = new Set(parts.map(({ language }) => language));
  return all.map(({ kind, command, why, part }) => {
    const isAlone = all.filter((other) => other.kind === kind).length === 1;
    const label = part.folder === '' ? part.language : part.folder;
    const isShared = parts.filter(({ folder }) => folder === part.folder).length > 1;
    const suffix = part.folder !== '' && isShared && languages.size > 1 ? ` ${part.language}` : '';
    return {
      kind,
      name: isAlone ? kind : `${kind} ${gateName(label)}${suffix}`,
      command: inFolder(part.folder, command),
      why: part.folder === '' ? why : `${part.folder}: ${why}`,
    };
  });
}

/** A gate's name has letters, digits, spaces and few signs, and up to 64 of them. */
function gateName(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9 _.:-]/g, '-').slice(0, 40);
}

function taskGates(files: FolderListing, parts: readonly FolderPart[]): readonly NamedGate[] {
  return KINDS.flatMap((kind) => {
    if (parts.some(({ checks }) => checks.some((check) => check.kind === kind))) return [];
    const task = detectTask(kind, files);
    return task === undefined ? [] : [{ ...task, name: kind }];
  });
}

function orderOf(kind: CheckKind): number {
  return KINDS.indexOf(kind);
}

/** A gate starts in the project's own folder. */
function inFolder(folder: string, command: readonly string[]): readonly string[] {
  if (folder === '') return command;
  return ['sh', '-c', `cd ${shellWord(folder)} && ${shellLine(command)}`];
}

/** `sh -c LINE` is LINE itself in another shell line. */
function shellLine(command: readonly string[]): string {
  const [shell, flag, line] = command;
  if (shell === 'sh' && flag === '-c' && line !== undefined) return line;
  return command.map(shellWord).join(' ');
}

/** A project has one setup, so the commands of several parts become one line. */
export function combineSetups(parts: readonly FolderPart[]): DetectedSetup | null {
  const known = parts.flatMap(({ folder, dependencies }) =>
    dependencies?.install == null ? [] : [{ folder, install: dependencies.install, dependencies }],
  );
  const [first, ...rest] = known;
  if (first === undefined) return null;
  const command =
    rest.length === 0
      ? inFolder(first.folder, first.install)
      : [
          'sh',
          '-c',
          known
            .map(({ folder, install }) => {
              const line = shellLine(inFolder(folder, install));
              return folder === '' ? line : `(${line})`;
            })
            .join(' && '),
        ];
  const inputs = known.flatMap(({ folder, dependencies }) =>
    dependencies.inputs.map((path) => (folder === '' ? path : `${folder}/${path}`)),
  );
  return { command, inputs: [...new Set(inputs)], network: ['registry'] };
}

function noteOf({ manager, dependencies }: FolderPart): readonly string[] {
  if (dependencies === null || dependencies.install !== null) return [];
  return [unknownSetup(manager, dependencies)];
}

function unknownSetup(manager: string, { advice }: MissingDependencies): string {
  return `Gates have no network. If they need packages of ${manager}, write a setup (such as ${advice ?? manager}) and list the hosts of your registry in setup.network.`;
}
