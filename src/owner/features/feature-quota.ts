/** The windows of the agents that may build the components of a feature. */
import { agentIdentity } from '../../attempts/choice/identity.ts';
import type { QuotaCounts } from '../../limits/quota-stock.ts';
import { QuotaStock } from '../../limits/quota-stock.ts';
import type { FeatureQuota } from '../../plan/agent-windows.ts';
import type { FeatureState } from '../../plan/feature-state.ts';
import { laneSettings } from '../../plan/lanes.ts';
import type { Component } from '../../protocol/feature.ts';
import type { PinnedWorkflow } from '../../protocol/workflow-definition.ts';

/** The agents of the first step stand for those of all steps: most workflows have the same ones everywhere. */
export function quotaOfFeature(
  state: FeatureState,
  counts: QuotaCounts,
  now: number,
): FeatureQuota {
  const stock = new QuotaStock(counts);
  const identities = Object.keys(counts.windows);
  return {
    windows: new Map(identities.map((identity) => [identity, stock.open(identity, now)])),
    agentsOf: (component) => {
      const { settings } = laneSettings(state, component.project ?? '');
      const own = firstRole(workflowOf(state, component)) ?? settings;
      return (own.chain ?? [own.agent]).map(agentIdentity);
    },
    attemptsOf: (component) => attemptsOf(workflowOf(state, component)),
  };
}

function workflowOf(state: FeatureState, { project = '', role }: Component): PinnedWorkflow | null {
  const { workflows } = laneSettings(state, project);
  return workflows[role ?? ''] ?? workflows[''] ?? null;
}

/** The role of the first step that has one. */
function firstRole(
  workflow: PinnedWorkflow | null,
): PinnedWorkflow['roles'][string]['settings'] | null {
  const steps = Object.values(workflow?.definition.steps ?? {});
  const names = steps.flatMap((step) => (step.kind === 'role' ? [step.role] : []));
  return workflow?.roles[names[0] ?? '']?.settings ?? null;
}

/** Each step once, as it is if no gate is red. */
function attemptsOf(workflow: PinnedWorkflow | null): number {
  const counts = Object.values(workflow?.definition.steps ?? {}).map((step): number => {
    if (step.kind === 'role') return 1;
    return step.kind === 'review' ? step.roles.length : 0;
  });
  return Math.max(
    1,
    counts.reduce((sum, one) => sum + one, 0),
  );
}
