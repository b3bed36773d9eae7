/** The steps of a workflow, each with its runs, below the details of its run. */
import type { RunView } from '../../protocol/views/run-view.ts';
import type { WorkflowView } from '../../protocol/views/workflow-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

type Step = WorkflowView['steps'][number];

const STYLES = {
  pending: 'dim',
  running: 'cyan',
  asking: 'yellow',
  passed: 'green',
  rejected: 'yellow',
  failed: 'red',
  stopped: 'yellow',
} as const;

/** Empty: the run is no workflow. */
export function showSteps(context: CliContext, { workflow }: Pick<RunView, 'workflow'>): string {
  if (workflow === null) return '';
  const width = Math.max(...workflow.steps.map((step) => nameOf(step).length));
  const lines = workflow.steps.flatMap((step) => [
    `${label(context, 'step')} ${nameOf(step).padEnd(width)}  ${paint(context, STYLES[step.state], step.state)}`,
    ...step.runs.map(
      ({ run, role, visit, outcome }) =>
        `${label(context, '')}   ${run}  ${outcome ?? 'running'}  ${printable(step.id)}#${visit} (${printable(role)})`,
    ),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function label(context: CliContext, text: string): string {
  return paint(context, 'dim', text.padEnd(10));
}

/** Its last visit, as `checkpoints` names it. */
function nameOf({ id, visits }: Step): string {
  return visits > 1 ? `${printable(id)}#${visits}` : printable(id);
}
