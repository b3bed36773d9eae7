/** A workflow in the words of a person: its steps in order, one line each, and a diagram. */
import { mermaidText } from '../base/mermaid-text.ts';
import { plural } from '../base/text.ts';
import type {
  WorkflowContinuity,
  WorkflowDefinition,
  WorkflowStep,
} from '../protocol/workflow-definition.ts';

/** The way forward from the first step, and then the steps that only a failure leads to. */
export function orderSteps({
  initialStep,
  steps,
}: Pick<WorkflowDefinition, 'initialStep' | 'steps'>): readonly WorkflowStep[] {
  const ordered: WorkflowStep[] = [];
  for (const start of [initialStep, ...Object.keys(steps)]) {
    let step = steps[start];
    while (step !== undefined && !ordered.includes(step)) {
      ordered.push(step);
      step = step.next === null ? undefined : steps[step.next];
    }
  }
  return ordered;
}

/** What the step does, without its links: `role planner`. */
export function describeAction(step: WorkflowStep): string {
  switch (step.kind) {
    case 'role':
      return `role ${step.role}`;
    case 'review':
      return `review by ${step.roles.join(', ')}${agreement(step.roles.length, step.agree)}`;
    case 'gate':
      return `gate ${step.gates.map(({ name }) => name).join(', ')}`;
    case 'human':
      return 'you decide';
    case 'command':
      return `command ${step.command.join(' ')}`;
    case 'commit': {
      const before = step.before.map(({ name }) => name);
      const gates = before.length === 0 ? '' : ` after gate ${before.join(', ')}`;
      return `commit${gates}${step.pullRequest === null ? '' : ', pull request'}`;
    }
  }
}

function agreement(count: number, agree: 'all' | 'any' | 'majority'): string {
  if (count === 1) return '';
  return { all: ', all must approve', any: ', one must approve', majority: ', most must approve' }[
    agree
  ];
}

/** Where the step goes back to, and what it waits for. */
export function describeLinks(step: WorkflowStep): readonly string[] {
  const onReject = 'onReject' in step ? step.onReject : null;
  return [
    ...(step.humanApproval ? ['you approve'] : []),
    ...(step.onFail === null ? [] : [`if it fails: ${step.onFail}`]),
    ...(onReject === null ? [] : [`if it rejects: ${onReject}`]),
    ...(step.kind === 'gate' && step.onFail !== null
      ? [`up to ${step.retry.attemptsMax - 1} times`]
      : []),
    ...(step.required ? [] : ['may fail']),
  ];
}

/** Which roles remember their last step. */
export function describeContinuity({ roles, turnsMax }: WorkflowContinuity): string {
  const verb = roles.length === 1 ? 'continues its conversation' : 'continue their conversations';
  return `${roles.join(', ')} ${verb} from step to step, ${plural(turnsMax, 'time')} in a row at most.`;
}

/** A flowchart in Mermaid, as GitHub renders it. */
export function renderGraph(definition: WorkflowDefinition): string {
  const steps = orderSteps(definition);
  const ids = new Map(steps.map(({ id }, nth) => [id, `s${nth + 1}`]));
  const nodes = steps.map((step) => {
    const text = `${mermaidText(step.id)}<br/>${mermaidText(describeAction(step))}`;
    return `  ${ids.get(step.id)}${shape(step, text)}`;
  });
  const edges = steps.flatMap((step) => {
    const from = ids.get(step.id);
    const edge = (arrow: string, to: string | null): readonly string[] =>
      to === null ? [] : [`  ${from} ${arrow} ${ids.get(to)}`];
    return [
      ...edge(step.humanApproval ? '-- you approve -->' : '-->', step.next),
      ...edge('-. fails .->', step.onFail),
      ...edge('-. rejects .->', 'onReject' in step ? step.onReject : null),
    ];
  });
  return ['flowchart TD', ...nodes, ...edges].map((line) => `${line}\n`).join('');
}

/** Each kind has its own shape: people are round, gates are diamonds. */
function shape({ kind }: WorkflowStep, text: string): string {
  switch (kind) {
    case 'gate':
      return `{"${text}"}`;
    case 'human':
      return `(["${text}"])`;
    case 'review':
      return `[["${text}"]]`;
    case 'commit':
      return `(("${text}"))`;
    case 'role':
    case 'command':
      return `["${text}"]`;
  }
}
