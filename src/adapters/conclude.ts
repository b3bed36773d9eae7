/** What the exits of all CLIs have in common. */
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

/**
 * The verdict on an end without a final message: the call that it was retrying, or else only the
 * exit.
 */
export function diedWith(exit: ProcessExit, transcript: Transcript): AgentVerdict {
  // An open tool means that the model had answered since.
  if (transcript.retrying !== null && transcript.toolsOpen === 0)
    return { kind: 'cut-off', message: transcript.retrying.message, error: transcript.retrying };
  return { kind: 'died', message: describeExit(exit) };
}
