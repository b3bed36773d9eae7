/** The keys of the commands of a workflow. Each names its step, and the number of the visit makes it unique. */
import type { CommandKey } from '../base/ids.ts';
import { commandKey } from '../base/ids.ts';
import { plainStepName } from '../protocol/step-key.ts';
import type { RolePart, Visit } from './workflow-state.ts';

/** `step-implement-3`; of a reviewer `step-review-4-2-security`; the second time `step-implement-3.2`. */
export function partKey(
  phase: Exclude<RolePart['phase'], 'ended'>,
  { step, number, parts }: Visit,
  place: number,
  { role, repeats }: RolePart,
): CommandKey {
  const prefix = phase === 'run' ? 'step' : phase;
  const reviewer = parts.length > 1 ? `-${place + 1}-${plainStepName(role)}` : '';
  return commandKey(`${prefix}-${plainStepName(step)}-${number}${reviewer}${again(repeats)}`);
}

/** `gate-test-4-1`: the first gate of the step. `place` counts from 0. */
export function gateKey({ step, number, interruptions }: Visit, place: number): CommandKey {
  return commandKey(`gate-${plainStepName(step)}-${number}-${place + 1}${again(interruptions)}`);
}

export function commitKey({ step, number, interruptions }: Visit): CommandKey {
  return commandKey(`commit-${plainStepName(step)}-${number}${again(interruptions)}`);
}

export function breakerKey({ step, number }: Visit, repeats: number): CommandKey {
  return commandKey(`breaker-${plainStepName(step)}-${number}${again(repeats)}`);
}

export function numberedKey(
  prefix: 'ask' | 'wait' | 'assess',
  step: string,
  number: number,
): CommandKey {
  return commandKey(`${prefix}-${plainStepName(step)}-${number}`);
}

function again(repeats: number): string {
  return repeats === 0 ? '' : `.${repeats + 1}`;
}
