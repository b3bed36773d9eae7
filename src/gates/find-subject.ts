/** Finds the work that a gate judges. */
import type { CommandRequest } from '../engine/performer.ts';
import type { CommittedAttempt } from '../execution/committed-attempt.ts';
import { workspacePortsFor } from '../execution/environments/environment.ts';
import { workIn } from '../execution/work-point.ts';
import type { GateInput } from '../protocol/contracts/gate-contract.ts';
import type { GatePorts } from './perform-gate.ts';

/** In a workflow the input names the work. Its base, with the definition of the gate, is that of the whole workflow. */
export async function findSubject(
  { run, key, input }: CommandRequest<'gate'>,
  ports: GatePorts,
): Promise<CommittedAttempt> {
  if (input.work === undefined) return ports.findCommit(run, input.attempt);
  const git = workspacePortsFor(ports, { run, key });
  return { kind: 'committed', ...(await workIn(input.project, input.work, ports.stateDir, git)) };
}

/** Whether the gate judges the base, on which no attempt has worked. */
export function isOnBase({ attempt, work }: Pick<GateInput, 'attempt' | 'work'>): boolean {
  return attempt === 0 && work === undefined;
}
