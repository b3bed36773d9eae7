/**
 * Tells a gate that can't run from a gate that is red: what it should run is missing. That is a script, a target, a
 * module, a package or a file. Each tool says so in words of its own, and such a gate is red whatever the work is.
 */
import { lineOfShell, shellWords } from '../../base/shell-words.ts';
import type { MissingThing } from '../../detection/nearest-command.ts';
import type { FailedGate } from '../../protocol/contracts/gate-contract.ts';
import type { PinnedGate } from '../../protocol/pinned-settings.ts';

export type NothingToRun = {
  /** The line of the tool that says so. */
  readonly line: string;
  /** Undefined if the line does not name it. */
  readonly missing?: MissingThing;
};

type Rule = {
  readonly program: RegExp;
  /** `name`, if there is such a group, is what is missing. */
  readonly printed: RegExp;
  readonly kind: MissingThing['kind'];
  /** Undefined: any but 0. */
  readonly exit?: number;
  /** It counts only if the command itself names what is missing. */
  readonly isNamed?: true;
};

const NPM = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx)$/;
const MAKE = /^g?make$/;
const NODE = /^(?:node(?:js)?|bun|deno)$/;
const PYTHON = /^(?:python[\d.]*|pytest|py\.test|uv|poetry|tox|nox|coverage)$/;
const JUST = /^(?:just|task)$/;

const RULES: readonly Rule[] = [
  {
    program: NPM,
    kind: 'script',
    printed: /^(?:npm (?:error|ERR!) )?Missing script: "?(?<name>[^"\n]+?)"?$/m,
  },
  { program: NPM, kind: 'script', printed: /^Unknown command: "(?<name>.+)"$/m },
  { program: NPM, kind: 'script', printed: /^.*ERR_PNPM_NO_SCRIPT.*?: (?<name>\S+)$/m },
  {
    program: NPM,
    kind: 'script',
    printed: /^.*ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL.*Command "(?<name>.+)" not found.*$/m,
  },
  { program: NPM, kind: 'script', printed: /^error Command "(?<name>.+)" not found\.$/m },
  {
    program: NPM,
    kind: 'script',
    printed: /^Usage Error: Couldn't find a script named "(?<name>.+)"\..*$/m,
  },
  { program: NPM, kind: 'script', printed: /^error: Script not found "(?<name>.+)"$/m },
  { program: NODE, kind: 'script', printed: /^Missing script: "(?<name>.+)" for .*$/m },
  { program: NODE, kind: 'script', printed: /^.*error.*: Task not found: (?<name>\S+)$/m },
  // npx looks in the registry for a package that is not installed. No gate has a network.
  {
    program: NPM,
    kind: 'package',
    printed:
      /^npm (?:error|ERR!) 404 +.*'(?<name>@?[^'@]+)@.*' (?:could not be found|is not in this registry).*$/m,
  },
  {
    program: NPM,
    kind: 'package',
    printed:
      /^npm (?:error|ERR!) request to \S+?\/(?<name>(?:@[^/\s]+(?:\/|%2f))?[^/\s]+) failed, reason: .*$/m,
  },
  {
    program: NPM,
    kind: 'package',
    printed:
      /^npm (?:error|ERR!) npx canceled due to missing packages and no YES option: \["(?<name>@?[^"@]+).*$/m,
  },
  {
    program: NPM,
    kind: 'package',
    printed: /^npm (?:error|ERR!) could not determine executable to run$/m,
  },
  {
    program: MAKE,
    kind: 'target',
    exit: 2,
    printed:
      /^g?make(?:\[\d+\])?: \*\*\* No rule to make target ['`](?<name>[^']+)'(?!, needed by).*$/m,
  },
  {
    program: MAKE,
    kind: 'target',
    exit: 2,
    printed: /^g?make(?:\[\d+\])?: \*\*\* No targets specified and no makefile found\..*$/m,
  },
  {
    program: MAKE,
    kind: 'file',
    exit: 2,
    printed: /^g?make: \*\*\* (?<name>\S+): No such file or directory\. +Stop\.$/m,
  },
  // make ends with exit code 2 if the shell of a rule does not find its program.
  {
    program: MAKE,
    kind: 'target',
    exit: 2,
    printed: /^g?make(?:\[\d+\])?: \*\*\* .* Error 12[67]$/m,
  },
  {
    program: JUST,
    kind: 'target',
    printed: /^error: [Jj]ustfile does not contain recipe `(?<name>[^`]+)`.*$/m,
  },
  { program: JUST, kind: 'target', printed: /^task: Task "(?<name>.+)" does not exist.*$/m },
  {
    program: PYTHON,
    kind: 'module',
    exit: 1,
    printed: /^\S*python[\d.]*: No module named (?<name>[\w.]+)(?:;.*)?$/m,
  },
  {
    program: PYTHON,
    kind: 'module',
    exit: 1,
    printed:
      /^\S*python[\d.]*: Error while finding module specification for '(?<name>[\w.]+)' .*$/m,
  },
  {
    program: PYTHON,
    kind: 'module',
    exit: 1,
    isNamed: true,
    printed:
      /^ImportError: Failed to import test module: (?<name>\S+)$(?=[^]*^ModuleNotFoundError: No module named '\k<name>'$)/m,
  },
  {
    program: PYTHON,
    kind: 'file',
    exit: 2,
    printed: /^\S*python[\d.]*: can't open file '?(?<name>[^'\n]+?)'?: \[Errno 2\].*$/m,
  },
  {
    program: PYTHON,
    kind: 'file',
    exit: 4,
    printed: /^ERROR: file or directory not found: (?<name>.+)$/m,
  },
  { program: PYTHON, kind: 'module', exit: 4, printed: /^.*error: unrecognized arguments: .*$/m },
  { program: PYTHON, kind: 'module', printed: /^Command not found: (?<name>\S+)$/m },
  {
    program: PYTHON,
    kind: 'module',
    exit: 2,
    printed: /^error: Failed to spawn: `(?<name>[^`]+)`$/m,
  },
  // Without a file that requires it, the missing module is the script of the command itself.
  {
    program: NODE,
    kind: 'file',
    printed:
      /^Error: Cannot find module '(?<name>.*)'$(?=(?:\n(?! {2}code:).*)*\n {2}code: 'MODULE_NOT_FOUND',\n {2}requireStack: \[\])/m,
  },
  { program: NODE, kind: 'file', exit: 1, printed: /^Could not find '(?<name>.+)'$/m },
  {
    program: /^(?:da)?sh$/,
    kind: 'file',
    exit: 2,
    printed: /^\S+: (?:0: )?(?:cannot|[Cc]an't) open '?(?<name>[^\s':]+).*$/m,
  },
  {
    program: /^cargo$/,
    kind: 'subcommand',
    exit: 101,
    printed: /^error: no such (?:sub)?command: `(?<name>.+)`$/m,
  },
  { program: /^go$/, kind: 'subcommand', exit: 2, printed: /^go (?<name>\S+): unknown command$/m },
  {
    program: /^ruby$/,
    kind: 'file',
    exit: 1,
    printed: /^ruby: No such file or directory -- (?<name>\S+) \(LoadError\)$/m,
  },
  {
    program: /^(?:rake|bundle)$/,
    kind: 'target',
    exit: 1,
    printed: /^Don't know how to build task '(?<name>[^']+)'.*$/m,
  },
  { program: /^php$/, kind: 'file', exit: 1, printed: /^Could not open input file: (?<name>.+)$/m },
  {
    program: /^gradlew?$/,
    kind: 'target',
    exit: 1,
    printed: /^Task '(?<name>[^']+)' not found in .*$/m,
  },
];

/** Programs that start others, so that the words of another tool may be the last that they print. */
const STARTS_OTHERS =
  /^(?:npm|npx|pnpm|yarn|bun|g?make|just|task|rake|env|time|nice|timeout|(?:ba|da|z|k)?sh|uv|poetry|tox|nox|.*\.sh)$/;
/** A line about a thing that the command does not name must be among the last: a test may print the same words. */
const LAST_LINES = 25;

/** Undefined: the gate ran, and is red. */
export function findNothingToRun(
  { command }: Pick<PinnedGate, 'command'>,
  { exit, tail, counted }: Pick<FailedGate, 'exit' | 'tail' | 'counted'>,
): NothingToRun | undefined {
  if (exit === null || exit === 0) return undefined;
  const line = lineOfShell(command);
  const words = line === undefined ? command : (shellWords(line) ?? []);
  const programs = (line === undefined ? words.slice(0, 1) : words).map(programName);
  const startsOthers = line !== undefined || STARTS_OTHERS.test(programs[0] ?? '');
  // A test that passed or failed has run.
  const hasRun = counted !== undefined && counted.passed + counted.failed > 0;
  const end = tail.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  for (const rule of RULES) {
    const isDirect = programs.some((program) => rule.program.test(program));
    if (!isDirect && !startsOthers) continue;
    // A program that starts others may end with a code of its own.
    if (!startsOthers && rule.exit !== undefined && rule.exit !== exit) continue;
    const found = rule.printed.exec(tail);
    if (found === null) continue;
    const printed = found[0].trim();
    const name = found.groups?.['name'];
    const word = name === undefined ? undefined : words.find((one) => isNamedBy(name, one));
    if (word !== undefined) return { line: printed, missing: { kind: rule.kind, name: word } };
    if (hasRun || rule.isNamed === true || !rule.printed.test(end)) continue;
    if (name === undefined) return { line: printed };
    if (startsOthers) return { line: printed, missing: { kind: rule.kind, name } };
  }
  return undefined;
}

function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** A tool may print the whole path of a file that the command names by a part of it. */
function isNamedBy(name: string, word: string): boolean {
  return word !== '' && (name === word || name.endsWith(`/${word.replace(/^\.\//, '')}`));
}
