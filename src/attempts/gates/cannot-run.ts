/** Decides from a gate's outcome on the base whether the gate can run at all, and says what to do if it can't. */
import { describeCommand, isNamedByLine } from '../../base/shell-words.ts';
import { truncate } from '../../base/text.ts';
import type { ProjectListing } from '../../detection/listing.ts';
import type { MissingThing } from '../../detection/nearest-command.ts';
import { listChoices, nearestCommand } from '../../detection/nearest-command.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import type { PinnedGate } from '../../protocol/pinned-settings.ts';
import { nearest } from '../../yaml/nearest.ts';
import type { NothingToRun } from './nothing-to-run.ts';
import { findNothingToRun } from './nothing-to-run.ts';

/** Programs that gates usually start, for a suggestion. */
const PROGRAMS = [
  ...[
    'npm',
    'npx',
    'pnpm',
    'yarn',
    'bun',
    'node',
    'deno',
    'tsc',
    'eslint',
    'jest',
    'vitest',
    'mocha',
  ],
  ...['python', 'python3', 'pytest', 'pip', 'poetry', 'uv', 'tox', 'nox', 'ruff', 'mypy', 'flake8'],
  ...['make', 'just', 'task', 'cmake', 'ctest', 'bazel', 'cargo', 'go', 'gradle', 'mvn', 'dotnet'],
  ...[
    'ruby',
    'rake',
    'bundle',
    'rspec',
    'php',
    'composer',
    'phpunit',
    'mix',
    'swift',
    'bash',
    'git',
  ],
] as const;

const WORDS_MAX = 600;

/** Whether a red gate on the base only failed to find what it should run. Undefined: it ran, or it is not red. */
export function nothingRan(
  gate: Pick<PinnedGate, 'command'>,
  outcome: GateOutcome,
): NothingToRun | undefined {
  return outcome.kind === 'failed' ? findNothingToRun(gate, outcome) : undefined;
}

/** The outcome of a gate that found nothing to run, with what the project has instead. */
export function unableOutcome(
  { name, command }: Pick<PinnedGate, 'name' | 'command'>,
  { line, missing }: NothingToRun,
  listing: ProjectListing,
): GateOutcome {
  const meant = missing === undefined ? undefined : nearestCommand(command, missing, listing);
  const choices = missing === undefined ? [] : listChoices(command, missing, listing);
  const has = meant === undefined && choices.length > 0;
  const why = [
    line,
    ...(missing === undefined || meant !== undefined ? [] : INSTALL[missing.kind]),
    ...(has ? [`The project has: ${choices.join(', ')}`] : []),
  ];
  return {
    kind: 'unable',
    name,
    why: why.join('. '),
    ...(meant === undefined ? {} : { meant }),
  };
}

const TO_SETUP = ['Install it for the whole machine, or add it to the project or its setup'];
const INSTALL: Readonly<Record<MissingThing['kind'], readonly string[]>> = {
  module: TO_SETUP,
  package: TO_SETUP,
  script: [],
  target: [],
  file: [],
  subcommand: [],
};

/** One text for a person. `needing`: the gate that counts, if this one only warns. Undefined: it can run, and may be red. */
export function describeCannotRun(
  { name, command }: Pick<PinnedGate, 'name' | 'command'>,
  outcome: GateOutcome,
  needing?: string,
): string | undefined {
  if (outcome.kind !== 'unable') return undefined;
  const { why } = outcome;
  const line = describeCommand(command);
  const which = isNamedByLine(name, command) ? `gate ${name}` : `gate ${name} (${line})`;
  const meant = outcome.meant ?? suggestLine(command, why);
  const what =
    meant === undefined ? 'Correct the gate' : `Did you mean: ${meant}? Correct the gate`;
  const depends = needing === undefined ? '' : `, and gate ${needing} depends on it`;
  return `${which} can't run on the base${depends}, so no agent was started: ${truncate(why, WORDS_MAX)}\n${what}, or start without this check: --without-baseline`;
}

/** The command with its missing program replaced by the nearest known one. */
function suggestLine(command: readonly string[], why: string): string | undefined {
  const missing = /([\w.+-]+): (?:command )?not found/.exec(why)?.[1] ?? command[0] ?? '';
  if (!why.includes(missing) || PROGRAMS.some((one) => one === missing)) return undefined;
  const meant = nearest(missing, PROGRAMS);
  if (meant === undefined) return undefined;
  const [first, ...rest] = command;
  return first === missing ? [meant, ...rest].join(' ') : meant;
}
