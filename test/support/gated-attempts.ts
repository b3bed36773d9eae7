/** Runs with two gates, and the outcomes of a gate. */
import { settingsFor } from './drive-attempts.ts';
import type { AttemptSettings } from '../../src/protocol/pinned-settings.ts';
import type { GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';

export const GATES = [
  { name: 'test', command: ['npm', 'test'], timeoutMs: 1000 },
  { name: 'lint', command: ['npm', 'run', 'lint'], timeoutMs: 1000 },
];
export const red = {
  kind: 'failed',
  name: 'test',
  exit: 1,
  tail: '1 test is red',
} satisfies GateOutcome;
export const green = { kind: 'passed', name: 'test' } satisfies GateOutcome;
export const unable = {
  kind: 'unable',
  name: 'test',
  why: 'npm is not there',
} satisfies GateOutcome;

export function gated(
  agents: readonly string[],
  more: Partial<AttemptSettings> = {},
): AttemptSettings {
  return settingsFor(agents, {}, { gates: GATES, ...more });
}
