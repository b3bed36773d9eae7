/** The agents that a run may use. */
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { Submission } from '../../protocol/run-submission.ts';

/** Those of its chain, and for a workflow those of all of its roles. Each appears once. */
export function agentsOfRun({ settings }: Pick<Submission, 'settings'>): readonly AgentSpec[] {
  const { agent, chain = [agent] } = settings;
  const workflows =
    'workflow' in settings
      ? [settings.workflow]
      : 'ablation' in settings
        ? Object.values(settings.ablation.arms)
        : 'feature' in settings
          ? Object.values(settings.feature.workflows)
          : [];
  const roles = workflows.flatMap((workflow) => Object.values(workflow.roles));
  const ofRoles = roles.flatMap((role) => role.settings.chain ?? [role.settings.agent]);
  const byId = new Map([...ofRoles, ...chain].map((one) => [one.id, one]));
  return roles.length === 0 ? chain : [...byId.values()];
}
