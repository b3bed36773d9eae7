/** How far a workflow is, folded from the events of its run. */
import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import type { CommandBegun, CommandEnded, Result } from '../commands.ts';
import type { RunEvent } from '../event.ts';
import { RunOutcome } from '../outcome.ts';
import { stepOfKey } from '../step-key.ts';
import type { PinnedWorkflow } from '../workflow-definition.ts';

/**
 * `pending`: it has not begun. `asking`: a person decides. `rejected`: its verdict sent the work back. `failed`: it
 * could not do its part, or a gate is red. `stopped`: the run ended before it did.
 */
export const STEP_STATES = [
  'pending',
  'running',
  'asking',
  'passed',
  'rejected',
  'failed',
  'stopped',
] as const;

const StepRunView = z.strictObject({
  run: z.string(),
  role: z.string(),
  /** The visit of the step that it belongs to, from 1. */
  visit: z.int(),
  outcome: RunOutcome.shape.kind.nullable(),
});

const StepView = z.strictObject({
  id: z.string(),
  kind: z.string(),
  /** How often it has begun. */
  visits: z.int(),
  state: z.enum(STEP_STATES),
  runs: z.array(StepRunView),
  /** The number of its last visit among those of all steps. */
  last: z.int(),
});
type StepView = z.infer<typeof StepView>;

export const WorkflowView = z.strictObject({
  name: z.string(),
  /** The step that began last. Null: none has begun. */
  current: z.string().nullable(),
  /** In the order of the definition. */
  steps: z.array(StepView),
});
export type WorkflowView = z.infer<typeof WorkflowView>;

export function newWorkflowView({ definition }: PinnedWorkflow): WorkflowView {
  const steps = Object.values(definition.steps).map(({ id, kind }): StepView => {
    return { id, kind, visits: 0, state: 'pending', runs: [], last: 0 };
  });
  return { name: definition.name, current: null, steps };
}

/** The same value if the event says nothing about a step. */
export function foldWorkflowView(view: WorkflowView, event: RunEvent): WorkflowView {
  switch (event.type) {
    case 'command.begun':
      return begun(view, event.payload);
    case 'command.noted': {
      const { key, command, note } = event.payload;
      return command === 'run' ? changeStep(view, key, (step) => withRun(step, note.input)) : view;
    }
    case 'command.ended':
      return ended(view, event.payload);
    case 'run.ended':
      return { ...view, steps: view.steps.map(stopped) };
    case 'run.submitted':
    case 'run.forked':
    case 'signal.received':
    case 'command.cancelled':
      return view;
  }
}

/** A step of a run that has ended neither runs nor asks. */
function stopped(step: StepView): StepView {
  const isOpen = step.state === 'running' || step.state === 'asking';
  return isOpen ? { ...step, state: 'stopped' } : step;
}

function changeStep(
  view: WorkflowView,
  key: string,
  change: (step: StepView, number: number) => StepView,
): WorkflowView {
  const ids = view.steps.map(({ id }) => id);
  const found = stepOfKey(key, ids);
  if (found === undefined) return view;
  const steps = view.steps.map((step) =>
    step.id === found.step ? change(step, found.number) : step,
  );
  return { ...view, steps };
}

function begun(view: WorkflowView, payload: CommandBegun): WorkflowView {
  const { key, command } = payload;
  const found = stepOfKey(
    key,
    view.steps.map(({ id }) => id),
  );
  if (found === undefined) return view;
  const at = { ...view, current: found.step };
  switch (command) {
    case 'prepare-step':
    case 'gate':
    case 'commit-work':
      return changeStep(at, key, visited);
    case 'run':
      return changeStep(at, key, (step) => withRun(step, payload.input));
    case 'ask':
      return changeStep(at, key, (step) => ({
        ...step,
        visits: step.kind === 'human' ? step.visits + 1 : step.visits,
        state: 'asking',
      }));
    case 'assess-change':
    case 'update-breaker':
    case 'open-base':
    case 'merge-work':
    case 'write-interfaces':
    case 'attempt':
    case 'baseline':
    case 'broadcast':
    case 'check-availability':
    case 'claim-item':
    case 'collect-step':
    case 'deliver-message':
    case 'finalize':
    case 'release-item':
    case 'send-message':
    case 'set-cooldown':
    case 'setup':
    case 'wait':
      return view;
  }
}

/** Several commands may belong to one visit. */
function visited(step: StepView, number: number): StepView {
  const visits = number > step.last ? step.visits + 1 : step.visits;
  // Another reviewer or another gate of this visit has decided.
  const isDecided = number === step.last && (step.state === 'rejected' || step.state === 'failed');
  return { ...step, visits, last: number, state: isDecided ? step.state : 'running' };
}

type StartedRun = Extract<CommandBegun, { command: 'run' }>['input'];

function withRun(step: StepView, { run, submission }: StartedRun): StepView {
  const role = submission.settings.brief?.role ?? '';
  const added = { run, role, visit: step.visits, outcome: null };
  return { ...step, runs: [...step.runs, added] };
}

function ended(view: WorkflowView, payload: CommandEnded): WorkflowView {
  const { key, command, end } = payload;
  if (end.kind !== 'done') return view;
  switch (command) {
    case 'run': {
      const { run, outcome } = end.result;
      return changeStep(view, key, (step) => ({
        ...step,
        runs: step.runs.map((one) => (one.run === run ? { ...one, outcome: outcome.kind } : one)),
      }));
    }
    case 'prepare-step':
      return end.result.kind === 'refused' ? changeStep(view, key, to('failed')) : view;
    case 'collect-step': {
      const { answer, failure } = end.result;
      return changeStep(view, key, to(failure === null ? stateOfAnswer(answer) : 'failed'));
    }
    case 'gate': {
      const isGreen = end.result.kind === 'passed' || end.result.warns === true;
      // One red gate of a visit is enough, whatever the gates after it say.
      return changeStep(view, key, (step) =>
        isGreen && step.state === 'failed' ? step : to(isGreen ? 'passed' : 'failed')(step),
      );
    }
    case 'commit-work':
      return changeStep(view, key, to(end.result.kind === 'committed' ? 'passed' : 'failed'));
    case 'ask':
      return changeStep(view, key, (step) => ({ ...step, ...stateAfterAsk(end.result) }));
    case 'assess-change':
    case 'update-breaker':
    case 'open-base':
    case 'merge-work':
    case 'write-interfaces':
    case 'attempt':
    case 'baseline':
    case 'broadcast':
    case 'check-availability':
    case 'claim-item':
    case 'deliver-message':
    case 'finalize':
    case 'release-item':
    case 'send-message':
    case 'set-cooldown':
    case 'setup':
    case 'wait':
      return view;
  }
}

/** Of several reviewers, the one that rejects counts. */
function to(state: StepView['state']): (step: StepView) => StepView {
  return (step) => (step.state === 'rejected' ? step : { ...step, state });
}

const REJECTING: ReadonlySet<unknown> = new Set(['CHANGES_REQUESTED', 'REJECTED']);
const FAILING: ReadonlySet<unknown> = new Set(['FAILED', 'BLOCKED', null]);

function stateOfAnswer(answer: Json): StepView['state'] {
  const { status = null, review_status: review } = (answer ?? {}) as Readonly<Record<string, Json>>;
  if (REJECTING.has(status) || REJECTING.has(review)) return 'rejected';
  return FAILING.has(status) ? 'failed' : 'passed';
}

/** A question whose time is over is asked again, or the work is rejected. */
function stateAfterAsk(result: Result<'ask'>): Partial<Pick<StepView, 'state'>> {
  if ('answer' in result) return { state: stateOfDecision(result.answer) };
  return 'timedOut' in result ? { state: 'rejected' } : {};
}

/** A person who decides anything else sends the workflow on, so the step is tried again or is accepted as it is. */
function stateOfDecision(answer: string): StepView['state'] {
  if (answer === 'approve') return 'passed';
  if (answer === 'edit') return 'running';
  return /^(reject|send-back)\b/.test(answer) ? 'rejected' : 'failed';
}

/** Such as `step implement#2 (2 of 5)`. Undefined: no step has begun. */
export function describeStep({ current, steps }: WorkflowView): string | undefined {
  const index = steps.findIndex(({ id }) => id === current);
  const step = steps[index];
  if (step === undefined) return undefined;
  const visit = step.visits > 1 ? `#${step.visits}` : '';
  return `step ${step.id}${visit} (${index + 1} of ${steps.length})`;
}
