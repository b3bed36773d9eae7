/** What every CLI's end has in common. */
import type { ProcessExit, AgentVerdict } from './adapter.ts';
import type { AgentError } from './agent-event.ts';
import type { Transcript } from './transcript.ts';

export function describeExit(exit: ProcessExit): string {
  switch (exit.kind) {
    case 'code':
      return `exited with code ${exit.code}`;
    case 'signal':
      return `was ended by ${exit.signal}`;
    case 'not-started':
      return `could not be started: ${exit.message}`;
  }
}

export function isZero(exit: ProcessExit): boolean {
  return exit.kind === 'code' && exit.code === 0;
}

export function failedBy(error: AgentError): AgentVerdict {
  return { kind: 'failed', message: error.message, error };
}

/** For an end without the agent's own last word: the call it was trying again, else the exit alone. */
export function diedWith(exit: ProcessExit, story: Transcript): AgentVerdict {
  // A tool at work means that the model had answered since.
  if (story.retrying !== null && story.toolsOpen === 0)
    return { kind: 'cut-off', message: story.retrying.message, error: story.retrying };
  return { kind: 'died', message: describeExit(exit) };
}
