/** Decides from a gate's outcome on the base whether the gate can run at all, and says what to do if it can't. */
import { truncate } from '../base/text.ts';
import type { GateOutcome } from '../protocol/gate-contract.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import { nearest } from '../yaml/nearest.ts';

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

/** What programs print if there is nothing to run, such as a misspelt script. Such a gate is red whatever the work is. */
const NOTHING_TO_RUN: readonly (readonly [program: RegExp, printed: RegExp])[] = [
  [/^npm$/, /^npm (?:error|ERR!) Missing script: .*$/m],
  [/^pnpm$/, /^.*ERR_PNPM_NO_SCRIPT.*$/m],
  [/^yarn(?:pkg)?$/, /^error Command ".*" not found\.$/m],
  [/^g?make$/, /^g?make(?:\[\d+\])?: \*\*\* No rule to make target .*$/m],
  // make ends with exit code 2 if the shell of a rule does not find its program.
  [/^g?make$/, /^g?make(?:\[\d+\])?: \*\*\* .* Error 12[67]$/m],
  // Without a file that requires it, the missing module is the script of the command itself.
  [
    /^node(?:js)?$/,
    /^Error: Cannot find module '.*'$(?=(?:\n(?! {2}code:).*)*\n {2}code: 'MODULE_NOT_FOUND',\n {2}requireStack: \[\])/m,
  ],
  [/^python[\d.]*$/, /^.*: can't open file .*\[Errno 2\].*$/m],
  [/^(?:da)?sh$/, /^\S+: (?:0: )?(?:cannot|[Cc]an't) open .*$/m],
];

const WORDS_MAX = 600;

/** The outcome, or that the gate can't run if it only failed to find what it should run. */
export function unableIfNothingRan(
  { name, command }: Pick<PinnedGate, 'name' | 'command'>,
  outcome: GateOutcome,
): GateOutcome {
  if (outcome.kind !== 'failed') return outcome;
  const program = (command[0] ?? '').split('/').at(-1) ?? '';
  for (const [runner, printed] of NOTHING_TO_RUN) {
    const found = runner.test(program) ? printed.exec(outcome.tail) : null;
    if (found !== null) return { kind: 'unable', name, why: found[0] };
  }
  return outcome;
}

/** One text for a person. Undefined: the gate can run, and may be red. */
export function describeCannotRun(
  { name, command }: Pick<PinnedGate, 'name' | 'command'>,
  outcome: GateOutcome,
): string | undefined {
  if (outcome.kind !== 'unable') return undefined;
  const { why } = outcome;
  const line = command.join(' ');
  const which = name === line ? `gate ${name}` : `gate ${name} (${line})`;
  const meant = suggestLine(command, why);
  const what =
    meant === undefined ? 'Correct the gate' : `Did you mean: ${meant}? Correct the gate`;
  return `${which} can't run on the base, so no agent was started: ${truncate(why, WORDS_MAX)}\n${what}, or start without this check: --without-baseline`;
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
