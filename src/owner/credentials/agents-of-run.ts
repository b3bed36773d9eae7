/** The agents that a run may use. */
import type { PinnedFeature } from '../../protocol/feature.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { PinnedWorkflow } from '../../protocol/workflow-definition.ts';

/** Those of its chain, and for a workflow those of all of its roles. Each appears once. */
export function agentsOfRun({ settings }: Pick<Submission, 'settings'>): readonly AgentSpec[] {
  const { agent, chain = [agent] } = settings;
  const workflows =
    'workflow' in settings
      ? [settings.workflow]
      : 'ablation' in settings
        ? Object.values(settings.ablation.arms)
        : 'feature' in settings
          ? workflowsOf(settings.feature)
          : [];
  const roles = workflows.flatMap((workflow) => Object.values(workflow.roles));
  const ofRoles = roles.flatMap((role) => role.settings.chain ?? [role.settings.agent]);
  const byId = new Map([...ofRoles, ...chain].map((one) => [keyOf(one), one]));
  return roles.length === 0 ? chain : [...byId.values()];
}

function workflowsOf({ workflows, projects = {} }: PinnedFeature): readonly PinnedWorkflow[] {
  const all = [workflows, ...Object.values(projects).map((one) => one.workflows)];
  return all.flatMap((one) => Object.values(one));
}

/** Two projects may call different agents by the same name. */
function keyOf({ id, cli, account, given }: AgentSpec): string {
  return JSON.stringify([id, cli, account, given]);
}
