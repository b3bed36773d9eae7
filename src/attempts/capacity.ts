import type { AgentSpec } from '../agents/adapter.ts';
import type { LimitWish } from '../engine/limits.ts';
import type { Settings } from '../protocol/settings.ts';
import { identityOf } from './identity.ts';

/** All attempts count for the owner; how many of a project and of an agent there may be is pinned. */
export function limitsOf(
  capacity: Settings['capacity'] | undefined,
  project: string,
  agent?: AgentSpec,
): readonly LimitWish[] {
  const ofProject = atMost(`project:${project}`, capacity?.runsMax);
  if (agent === undefined) return ['attempts', ofProject];
  return ['attempts', ofProject, atMost(`agent:${identityOf(agent)}`, capacity?.perAgentMax)];
}

function atMost(key: string, max: number | undefined): LimitWish {
  return max === undefined ? key : { key, max };
}
