/**
 * Decides whether a gate needs dependencies that a copy of the project lacks. Such a gate is red however good the
 * work is, so a run must not start without a setup unless the user wants that.
 */
import type { DetectedSetup, FolderPart } from './detect-commands.ts';
import { combineSetups, detectCommands } from './detect-commands.ts';
import type { ProjectListing } from './listing.ts';
import type { Language } from './project-part.ts';

export type MissingSetup = {
  /** The gate that cannot pass. */
  readonly gate: string;
  /** The folder that it needs, such as `node_modules`. */
  readonly folder: string;
  readonly isIgnored: boolean;
  readonly setup: DetectedSetup;
  /** The Python that the setup makes, if the gate starts another one. */
  readonly python: string | null;
};

type GateCommand = { readonly name: string; readonly command: readonly string[] };

/** These use the installed packages, whatever they run. */
const STRONG: Readonly<Partial<Record<Language, RegExp>>> = {
  node: /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|tsc|eslint|jest|vitest|mocha)$/,
  python: /^(?:uv|uvx|poetry|pipenv)$/,
  go: /^(?:go|golangci-lint|gotestsum)$/,
};
/** These may use them. They count only if the user has installed packages, in a folder that git ignores. */
const WEAK: Readonly<Partial<Record<Language, RegExp>>> = {
  node: /^(?:node|prettier|biome)$/,
  python: /^(?:python[\d.]*|pytest|tox|nox|ruff|mypy|pyright|flake8|black)$/,
};
/** A place where Go keeps modules, or an installation of Go that may contain them. */
const GO_MODULES =
  /(?:^|\/)(?:pkg\/mod|(?:go|gopath|golang|\.goenv|go\d[\d.]*)(?!.*\/bin$))(?:\/|$)/;
const TASK_RUNNER = /^(?:make|gmake|just|task)$/;
const SHELL = /^(?:sh|bash|zsh|dash)$/;
/** Words of a shell line that may be programs. */
const SEPARATORS = /[\s;&|()<>"'`$]+/;

/** What the user gives to every copy. */
export type GivenPaths = {
  /** Paths in the copy, from mounts and granted files. */
  readonly inside: readonly string[];
  /** Folders of the machine: mounts and toolchains. */
  readonly shared: readonly string[];
};

/** Null if every gate can run without a setup, as far as the files tell. */
export function findMissingSetup(
  listing: ProjectListing,
  gates: readonly GateCommand[],
  given: GivenPaths = { inside: [], shared: [] },
): MissingSetup | null {
  const parts = detectCommands(listing).parts.filter(
    (part) => part.dependencies?.install != null && !isGiven(part, given),
  );
  const setup = combineSetups(parts);
  if (setup === null) return null;
  for (const { name, command } of gates)
    for (const part of parts) {
      const { dependencies } = part;
      if (dependencies === null || !needs(command, part)) continue;
      const { folder, isIgnored } = dependencies;
      return {
        gate: name,
        folder: inside(part, folder),
        isIgnored,
        setup,
        python: ownPython(command, part),
      };
    }
  return null;
}

function isGiven({ language, dependencies }: FolderPart, { inside, shared }: GivenPaths): boolean {
  const folder = dependencies?.folder ?? '';
  if (inside.some((path) => path.split('/').includes(folder))) return true;
  return language === 'go' && [...inside, ...shared].some((path) => GO_MODULES.test(path));
}

function needs(command: readonly string[], part: FolderPart): boolean {
  const { language, dependencies } = part;
  if (dependencies === null) return false;
  return programsOf(command).some((word) => {
    if (word.includes(`${dependencies.folder}/`)) return true;
    const program = word.slice(word.lastIndexOf('/') + 1);
    if (STRONG[language]?.test(program) === true && !word.includes('/')) return true;
    const mayNeed =
      WEAK[language]?.test(program) === true || TASK_RUNNER.test(program) || word.startsWith('./');
    return dependencies.isIgnored && mayNeed;
  });
}

/** The program, or all words of the line that a shell gets. */
function programsOf([program = '', ...args]: readonly string[]): readonly string[] {
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (name === 'env') return programsOf(args.filter((arg) => !arg.includes('=')));
  return SHELL.test(name) ? args.flatMap((arg) => arg.split(SEPARATORS)) : [program];
}

/** A setup makes a virtual environment, but `python3` and `pytest` are still those of the machine. */
function ownPython(command: readonly string[], part: FolderPart): string | null {
  const { language, dependencies } = part;
  if (language !== 'python' || dependencies === null) return null;
  const words = programsOf(command);
  if (words.some((word) => word.includes(`${dependencies.folder}/`))) return null;
  return words.some((word) => WEAK.python?.test(word) === true)
    ? inside(part, `${dependencies.folder}/bin/python`)
    : null;
}

function inside({ folder }: FolderPart, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}
