/** The words of a setup: what makes a fresh copy of the project ready to work in, run by us before any agent. */
import type { RunOutcome } from '../protocol/outcome.ts';
import type { SandboxResult } from '../sandbox/run-sandboxed.ts';
import type { SetupInput, SetupOutcome } from '../protocol/setup-contract.ts';

/** Where every sandbox shows a tree that was set up, since what an installer writes down are absolute paths. */
export const PROJECT_INSIDE = '/project';

/** What is told of the end of its output, in characters. */
export const SETUP_TAIL_CHARS_MAX = 1500;

/** Why it has not made anything; undefined when it ended well. */
export function setupFailure(
  { command, timeoutMs }: Pick<SetupInput, 'command' | 'timeoutMs'>,
  { exit, endedBy, oom }: Pick<SandboxResult, 'exit' | 'endedBy' | 'oom'>,
  refused: readonly string[],
): string | undefined {
  const said = `the setup, ${command.join(' ')},`;
  const hosts =
    refused.length === 0 ? '' : `; it did not reach ${refused.join(', ')}, see setup.network`;
  if (endedBy === 'time-limit') return `${said} took longer than ${timeoutMs / 1000} s${hosts}`;
  if (endedBy === 'disk-limit') return `${said} filled its disk, see sandbox.disk`;
  if (endedBy === 'disk-full') return `${said} was ended: the disk of this machine is nearly full`;
  if (oom === true) return `${said} ran out of memory, see sandbox.memory`;
  switch (exit.kind) {
    case 'not-started':
      return `${said} could not be started: ${exit.message}`;
    case 'signal':
      return `${said} was ended by ${exit.signal}${hosts}`;
    case 'code':
      if (exit.code === 0) return undefined;
      if (exit.code === 127)
        return `${said} was not found inside; a program of your home takes sandbox.grants.toolchains`;
      return `${said} ended with code ${exit.code}${hosts}`;
  }
}

/** How a run ends whose setup did not end well; undefined: it goes on. */
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
