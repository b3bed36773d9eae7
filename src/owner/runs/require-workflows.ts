/** Refuses a run whose children could not do their work. */
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type {
  AblationSubmission,
  FeatureSubmission,
  PlanningSubmission,
  WorkflowSubmission,
} from '../../protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type { PinnedWorkflow } from '../../protocol/workflow-definition.ts';
import type { ProjectSettings } from '../project-settings.ts';
import { inspectForWorkflow, requireWorkflow } from '../workflows/workflow-submission.ts';
import { tryGateIn } from './try-gate.ts';

/** The runs of its children follow workflows. */
export type ParentSubmission = AblationSubmission | FeatureSubmission | PlanningSubmission;

export async function requireWorkflows(
  submission: ParentSubmission,
  workflows: Readonly<Record<string, PinnedWorkflow>>,
  { settings }: Pick<ProjectSettings, 'settings'>,
  host: ExecutionHost,
): Promise<void> {
  const { project } = submission;
  const tryGate = tryGateIn(project, settings.sandbox, host, { runs: settings.baseline });
  const inspected = await inspectForWorkflow(project, host);
  for (const workflow of Object.values(workflows)) {
    const child: WorkflowSubmission = {
      ...submission,
      program: WORKFLOW_PROGRAM,
      settings: { ...submission.settings, workflow },
    };
    await requireWorkflow(child, {}, settings, { host, tryGate, inspected });
  }
}
