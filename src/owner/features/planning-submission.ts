/** Turns a request to plan a feature into a submission. The roles are pinned as the two steps of a workflow. */
import { Refusal } from '../../base/errors.ts';
import { PLANNING_PROGRAM, PLANNING_STEPS } from '../../protocol/planning.ts';
import type { PlanningSubmission, WorkflowSubmission } from '../../protocol/run-submission.ts';
import type { PlanningRequest } from '../../protocol/views/feature-view.ts';
import type { RoleStep, WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import type { WorkflowRequest } from '../workflows/workflow-submission.ts';

type Submit = (
  request: WorkflowRequest,
  definition: WorkflowDefinition,
) => Promise<WorkflowSubmission>;

const NAME = 'planning';
const STEP_TIMEOUT_MS = 3_600_000;

export async function planningSubmission(
  { id, planner, lead, ...more }: PlanningRequest,
  submit: Submit,
): Promise<PlanningSubmission> {
  const definition = planningWorkflow(planner, lead);
  const plain = await submit({ ...more, workflow: NAME }, definition);
  const { roles } = plain.settings.workflow;
  for (const name of lead === null ? [planner] : [planner, lead])
    if (roles[name]?.answer !== 'plan') throw answersOtherwise(name);
  const settings = { ...plain.settings, planning: { id, planner, lead } };
  return { ...plain, program: PLANNING_PROGRAM, settings };
}

function planningWorkflow(planner: string, lead: string | null): WorkflowDefinition {
  const steps = [
    roleStep(PLANNING_STEPS.planner, planner),
    ...(lead === null ? [] : [roleStep(PLANNING_STEPS.lead, lead)]),
  ];
  return {
    ...{ name: NAME, description: 'Plans a feature', initialStep: PLANNING_STEPS.planner },
    steps: Object.fromEntries(steps.map((step) => [step.id, step])),
    limits: { stepsMax: 1, retriesMax: 0, roundsMax: 0 },
    git: { branchPattern: null, autoCommit: false },
  };
}

/** The program repeats a question itself, so a step has one try. */
function roleStep(id: string, role: string): RoleStep {
  return {
    ...{ kind: 'role', id, role, description: '', next: null, onFail: null, onReject: null },
    ...{
      timeoutMs: STEP_TIMEOUT_MS,
      humanApproval: false,
      required: true,
      outputs: {},
      config: {},
    },
    retry: {
      ...{ attemptsMax: 1, initialMs: 0, multiplier: 1, waitMaxMs: 0, jitter: 0 },
      whenUsedUp: 'fail',
    },
    contextScope: 'project',
  };
}

function answersOtherwise(role: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `The role ${role} does not answer with a plan.`,
    hint: 'Name a role with answer: plan, such as planner or tech_lead. To list them: supervisor roles',
  });
}
