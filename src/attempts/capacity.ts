import type { LimitRequest } from '../engine/limits.ts';
import type { Settings } from '../settings/settings.ts';
import { agentIdentity } from './identity.ts';
import type { AgentSpec } from '../protocol/pinned-settings.ts';

/** Each attempt counts for the owner, its project and its agent. The maximum per project and agent is pinned. */
export function capacityLimits(
  capacity: Settings['capacity'] | undefined,
  project: string,
  agent?: AgentSpec,
): readonly LimitRequest[] {
  const ofProject = atMost(`project:${project}`, capacity?.runsMax);
  if (agent === undefined) return ['attempts', ofProject];
  return ['attempts', ofProject, atMost(`agent:${agentIdentity(agent)}`, capacity?.perAgentMax)];
}

function atMost(key: string, max: number | undefined): LimitRequest {
  return max === undefined ? key : { key, max };
}
