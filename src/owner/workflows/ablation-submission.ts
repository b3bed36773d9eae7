/** Turns a request for a comparison into a submission. Both arms are loaded, pinned and checked here. */
import { isRefusal, Refusal } from '../../base/errors.ts';
import { seededRandom } from '../../base/random.ts';
import { plural, truncate } from '../../base/text.ts';
import { ABLATION_PROGRAM } from '../../protocol/ablation.ts';
import { CHILDREN_MAX } from '../../protocol/child-run.ts';
import type { AblateRequest, AblateTask } from '../../protocol/views/ablation-view.ts';
import type { AblationSubmission, WorkflowSubmission } from '../../protocol/run-submission.ts';
import type { WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import { nearest } from '../../yaml/nearest.ts';
import { quote } from '../../yaml/problem.ts';
import { suggest } from '../../yaml/schema-faults.ts';
import type { WorkflowRequest } from './workflow-submission.ts';
import { planTrials } from './plan-trials.ts';
import { judgeGates, unattended } from './unattended.ts';

export type AblationPorts = {
  /** `without`: a step to leave out. Refuses unknown and required steps. */
  readonly load: (template: string, without?: string) => Promise<WorkflowDefinition>;
  /** The submission of a workflow with this definition. */
  readonly submit: (
    request: WorkflowRequest,
    definition: WorkflowDefinition,
  ) => Promise<WorkflowSubmission>;
  /** The whole name of a commit of the project. Undefined: it has none of that name. */
  readonly findCommit: (name: string) => Promise<string | undefined>;
};

const TASK_CHARS_MAX = 200;

export async function ablationSubmission(
  request: AblateRequest,
  ports: AblationPorts,
): Promise<AblationSubmission> {
  const { template, without: step, tasks, runs, seed, ...more } = request;
  const trials = planTrials(tasks.length, runs, seededRandom(seed));
  if (trials.length > CHILDREN_MAX) throw tooMany(tasks.length, runs, trials.length);
  const full = await ports.load(template);
  checkStep(full, step);
  const less = await leavingOut(template, step, () => ports.load(template, step));
  const bases = await findBases(tasks, ports);
  const gates = judgeGates(full);
  if (gates.length === 0) throw noJudge(template);
  const task = truncate(`Compare ${template} with and without ${step}`, TASK_CHARS_MAX);
  const asked = { ...more, task, workflow: template };
  const withStep = await ports.submit(asked, unattended(full, `${template} (trial)`));
  const withoutStep = await ports.submit(
    asked,
    unattended(less, `${template} (trial without ${step})`),
  );
  const { workflow, ...own } = withStep.settings;
  return {
    ...withStep,
    program: ABLATION_PROGRAM,
    settings: {
      ...own,
      ablation: {
        ...{ template, step, seed, gates, trials },
        tasks: tasks.map((one) => (typeof one === 'string' ? one : one.task)),
        ...(bases.every((one) => one === null) ? {} : { bases }),
        arms: { with: workflow, without: withoutStep.settings.workflow },
      },
    },
  };
}

async function findBases(
  tasks: readonly AblateTask[],
  { findCommit }: Pick<AblationPorts, 'findCommit'>,
): Promise<readonly (string | null)[]> {
  const bases: (string | null)[] = [];
  for (const [nth, one] of tasks.entries()) {
    const base = typeof one === 'string' ? null : one.base;
    const commit = base === null ? null : await findCommit(base);
    if (commit === undefined)
      throw new Refusal({
        code: 'usage.invalid',
        message: `The base of task ${nth + 1}, ${quote(base ?? '')}, names no commit of the project.`,
        hint: 'Write a commit, a tag or a branch of this repository. To see some: git log --oneline',
      });
    bases.push(commit);
  }
  return bases;
}

/** Refuses a step that does not exist, or that cannot be the difference between the two arms. */
function checkStep({ name, steps }: WorkflowDefinition, step: string): void {
  const hint = `To see its steps: supervisor workflow show ${name}`;
  const refuse = (message: string): Refusal =>
    new Refusal({ code: 'usage.invalid', message, hint, details: { workflow: name, step } });
  const found = Object.hasOwn(steps, step) ? steps[step] : undefined;
  if (found === undefined) {
    const meant = suggest(nearest(step, Object.keys(steps)));
    throw refuse(`The workflow ${name} has no step ${quote(step)}${meant}.`);
  }
  if (found.kind === 'human' || (found.kind === 'commit' && found.before.length === 0))
    throw refuse(`Trials ask no person and commit nothing, so ${step} is part of neither side.`);
  const back = Object.values(steps).filter(
    (one) => one.onFail === step || ('onReject' in one && one.onReject === step),
  );
  if (back.length > 0)
    throw refuse(
      `${step} cannot be left out of ${name}: ${back.map(({ id }) => id).join(', ')} may send work back to it.`,
    );
}

/** The workflow may need the step for another reason, such as a setting that demands a review. */
async function leavingOut<Value>(
  template: string,
  step: string,
  load: () => Promise<Value>,
): Promise<Value> {
  try {
    return await load();
  } catch (error) {
    if (!isRefusal(error, 'workflow.invalid')) throw error;
    const why = error.message.replace(/^--without: disable\[\d+\]: /, '');
    throw new Refusal({
      code: 'usage.invalid',
      message: `${step} cannot be left out of ${template}: ${why}.`,
      hint: `To see its steps: supervisor workflow show ${template}`,
      details: { workflow: template, step },
    });
  }
}

function tooMany(tasks: number, runs: number, trials: number): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `${plural(tasks, 'task')} and --runs ${runs} are ${trials} trials, and a comparison may start ${CHILDREN_MAX}.`,
    hint: 'Use fewer tasks, or a smaller --runs.',
  });
}

function noJudge(template: string): Refusal {
  return new Refusal({
    code: 'workflow.invalid',
    message: `The workflow ${template} runs no gate of this project, so nothing could judge the work.`,
    hint: 'Add a gate to .supervisor/config.yaml. To find some: supervisor init',
    details: { workflow: template },
  });
}
