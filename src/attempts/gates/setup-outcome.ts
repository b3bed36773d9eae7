/** The outcome of a setup: the command that prepares a new copy of the project before any agent starts. */
import { truncate } from '../../base/text.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { SandboxResult } from '../../sandbox/run-sandboxed.ts';
import type { SetupInput, SetupOutcome } from '../../protocol/contracts/setup-contract.ts';
import { describeRefusedHost } from '../../protocol/words/refused-host-words.ts';

/** Every sandbox mounts a prepared tree at this path, because installers write absolute paths. */
export const PROJECT_INSIDE = '/project';

/** How much of the end of its output a message quotes. */
const TAIL_CHARS_MAX = 1500;
const TAIL_LINES_MAX = 12;
const TAIL_LINE_CHARS_MAX = 300;
/** Colours and cursor movements of a terminal. */
// oxlint-disable-next-line no-control-regex -- finding escape sequences is the point
const ESCAPES = /\u001B(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))/g;

/** The last lines of the output that say something, each of them whole. A long line keeps its beginning. */
export function setupTail(output: string): string {
  const lines = output
    .replaceAll(ESCAPES, '')
    .split('\n')
    // A progress bar writes its line again and again. Its last state counts.
    .map((line) => line.trimEnd().split('\r').at(-1) ?? '')
    .filter((line) => line.trim() !== '')
    .map((line) => truncate(line, TAIL_LINE_CHARS_MAX));
  const kept: string[] = [];
  let left = TAIL_CHARS_MAX;
  for (const line of lines.slice(-TAIL_LINES_MAX).toReversed()) {
    left -= line.length + 1;
    if (left < 0) break;
    kept.unshift(line);
  }
  return kept.join('\n');
}

/** Why the setup failed. Undefined: it ended well. */
export function setupFailure(
  { command, timeoutMs }: Pick<SetupInput, 'command' | 'timeoutMs'>,
  { exit, endedBy, oom }: Pick<SandboxResult, 'exit' | 'endedBy' | 'oom'>,
  refused: readonly string[],
): string | undefined {
  const subject = `the setup, ${command.join(' ')},`;
  const hosts =
    refused.length === 0
      ? ''
      : `; it did not reach ${refused.map(describeRefusedHost).join('; ')}; see setup.network`;
  if (endedBy === 'time-limit') return `${subject} took longer than ${timeoutMs / 1000} s${hosts}`;
  if (endedBy === 'disk-limit') return `${subject} filled its disk, see sandbox.disk`;
  if (endedBy === 'disk-full')
    return `${subject} was ended: the disk of this machine is nearly full`;
  if (oom === true) return `${subject} ran out of memory, see sandbox.memory`;
  switch (exit.kind) {
    case 'not-started':
      return `${subject} could not be started: ${exit.message}`;
    case 'signal':
      return `${subject} was ended by ${exit.signal}${hosts}`;
    case 'code':
      if (exit.code === 0) return undefined;
      if (exit.code === 127)
        return `${subject} was not found in the sandbox; for a program in your home folder, set sandbox.grants.toolchains`;
      return `${subject} ended with code ${exit.code}${hosts}`;
  }
}

/** The outcome of a run whose setup did not end well. Undefined: the run continues. */
export function outcomeAfterSetup(outcome: SetupOutcome): RunOutcome | undefined {
  switch (outcome.kind) {
    case 'ready':
    case 'not-needed':
      return undefined;
    case 'failed':
      return { kind: 'blocked', reason: [outcome.message, outcome.tail].join('\n').trim() };
    case 'refused':
      return { kind: 'refused', reason: outcome.message };
    case 'stopped':
      return { kind: 'cancelled', reason: 'the setup was stopped' };
  }
}
