import type { Hold, LimitRequest } from '../../engine/limits.ts';
import { formatDuration } from '../../base/format-duration.ts';
import { plural } from '../../base/text.ts';
import type { Settings } from '../../settings/settings.ts';
import { agentIdentity } from './identity.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

/** Each attempt counts for the owner, its project and its agent. The maximum per project and agent is pinned. */
export function capacityLimits(
  { runsMax, perAgentMax }: Settings['capacity'],
  project: string,
  agent?: AgentSpec,
): readonly LimitRequest[] {
  const ofProject = { key: `project:${project}`, max: runsMax };
  if (agent === undefined) return ['attempts', ofProject];
  const { id: name } = agent;
  return ['attempts', ofProject, { key: `agent:${agentIdentity(agent)}`, max: perAgentMax, name }];
}

/** A hold in words, such as `agent claude at its limit of 2`. */
export function describeHold(hold: Hold): string {
  if (hold.kind === 'queue') return 'other runs are ahead of it';
  const [family = '', ...rest] = hold.key.split(':');
  const name = hold.kind === 'limit' ? hold.name : undefined;
  const subject =
    family === 'project'
      ? `project ${rest.join(':').split('/').at(-1)}`
      : family === 'agent'
        ? `agent ${name ?? rest.join(':').split('::')[0]}`
        : 'the owner';
  const count = family === 'attempts' ? plural(hold.max, 'attempt') : hold.max;
  if (hold.kind === 'limit') return `${subject} at its limit of ${count}`;
  return `${subject} at its limit of ${hold.max} starts in ${formatDuration(hold.perMs)}`;
}
