/** How a workflow moves from one step to the next, back to an earlier one, to a person, or to its end. */
import { asSentence, cutAtWord, joinLines, oneLine, plural, truncate } from '../base/text.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { REASON_MAX } from '../protocol/outcome.ts';
import type { StepFeedback } from '../protocol/contracts/workflow-contract.ts';
import type { WorkflowStep } from '../protocol/workflow-definition.ts';
import { needsAssessment } from './approval-needs.ts';
import { writeFeedback } from './feedback.ts';
import { finalOutcome, gatesOf, staleGateStep } from './final-outcome.ts';
import type { PlannedVisit, Question, Visit, WorkflowState } from './workflow-state.ts';
import { NEW_PART, changeHistory, definitionOf, historyOf, stepOf } from './workflow-state.ts';

const REMARKS_MAX = 20;
const REMARK_CHARS_MAX = 300;
const WHY_MAX = 1000;

const APPROVAL_CHOICES = ['approve', 'reject', 'send-back'] as const;

/** Begins a step, unless the workflow has begun as many steps as it may. */
export function enterStep(state: WorkflowState, planned: PlannedVisit): WorkflowState {
  const step = stepOf(state, planned.step);
  if (step === undefined)
    return endWorkflow(state, 'failed', `the workflow has no step ${planned.step}`);
  const { stepsMax } = definitionOf(state).limits;
  if (state.counts.step >= stepsMax) {
    const reason = `the workflow may begin ${plural(stepsMax, 'step')}, and the next would be ${step.id}`;
    return endWorkflow(state, 'exhausted', reason);
  }
  const number = state.counts.step + 1;
  const visit: Visit = {
    ...planned,
    number,
    parts: rolesOf(step).map((role) => ({ ...NEW_PART, role })),
    gates: [],
    interruptions: 0,
    approved: false,
  };
  const counts = { ...state.counts, step: number };
  const visits = historyOf(state, step.id).visits + 1;
  const entered = changeHistory({ ...state, counts }, step.id, { visits });
  return beginVisit(entered, step, visit);
}

function beginVisit(state: WorkflowState, step: WorkflowStep, visit: Visit): WorkflowState {
  switch (step.kind) {
    case 'human':
      return askApproval(state, step, null);
    case 'review':
      if (step.roles.length > 0) return { ...state, stage: { kind: 'step', visit } };
      return endWorkflow(state, 'refused', `the review ${step.id} has no reviewer`);
    case 'commit':
      if (!hasWork(state))
        return goForward(addRemark(state, 'nothing was changed, so nothing was committed'), step);
      return gatesOf(step).length === 0
        ? beforeCommit(state, step, visit)
        : { ...state, stage: { kind: 'step', visit } };
    case 'gate':
      if (step.gates.length > 0) return { ...state, stage: { kind: 'step', visit } };
      return goForward(addRemark(state, `step ${step.id} has no gate`), step);
    case 'role':
    case 'command':
      return { ...state, stage: { kind: 'step', visit } };
  }
}

function hasWork({ work, size }: WorkflowState): boolean {
  return work !== null && size !== null && size.files > 0;
}

function rolesOf(step: WorkflowStep): readonly string[] {
  if (step.kind === 'role') return [step.role];
  return step.kind === 'review' ? step.roles : [];
}

/** All gates before the commit are green or accepted: a person approves it, unless the user wants no question. */
export function beforeCommit(
  state: WorkflowState,
  step: WorkflowStep,
  visit: Visit,
): WorkflowState {
  const needsApproval = !definitionOf(state).git.autoCommit || step.humanApproval;
  if (!needsApproval) return { ...state, stage: { kind: 'step', visit } };
  return askApproval(state, step, visit);
}

/** The step is done. A person approves its result first, if the definition says so. */
export function afterDone(
  state: WorkflowState,
  step: WorkflowStep,
  { recheck }: Visit,
): WorkflowState {
  if (step.humanApproval && recheck === undefined) return askApproval(state, step, null);
  return goForward(state, step, recheck);
}

/** Before a commit and at the end, gate steps that judged earlier work run again. */
export function goForward(
  state: WorkflowState,
  step: WorkflowStep,
  recheck?: PlannedVisit['recheck'],
): WorkflowState {
  const asker = recheck?.isEdited === true ? stepOf(state, recheck.target ?? '') : undefined;
  if (asker !== undefined) return recheckEdit(state, asker);
  const target = recheck === undefined ? step.next : recheck.target;
  const isLast = target === null || stepOf(state, target)?.kind === 'commit';
  const stale = isLast ? staleGateStep(state) : undefined;
  if (stale !== undefined) return enterStep(state, { ...plan(stale.id), recheck: { target } });
  if (target !== null) return enterStep(state, plan(target));
  return { ...state, stage: { kind: 'end', outcome: finalOutcome(state) } };
}

/** A person has changed the work. Gate steps that judged it before run again, and then the step asks again. */
export function recheckEdit(state: WorkflowState, step: WorkflowStep): WorkflowState {
  const stale = staleGateStep(state);
  if (stale !== undefined && stale.id !== step.id)
    return enterStep(state, { ...plan(stale.id), recheck: { target: step.id, isEdited: true } });
  switch (step.kind) {
    case 'role':
    case 'review':
      return askApproval(state, step, null); // an agent must not undo what the person did
    case 'human':
    case 'gate':
    case 'command':
    case 'commit':
      return enterStep(state, plan(step.id));
  }
}

/** A step without feedback, in its full form. */
export function plan(step: string): PlannedVisit {
  return { step, feedback: null, level: 'full' };
}

/** A step that will read why it runs again. */
export function planWithFeedback(
  state: WorkflowState,
  target: string,
  facts: Pick<StepFeedback, 'category' | 'from'> & { readonly report: string },
  earlier: StepFeedback | null = null,
): PlannedVisit {
  const step = stepOf(state, target);
  const role = step?.kind === 'role' ? step.role : null;
  const answer = role === null ? null : (state.settings.workflow.roles[role]?.answer ?? null);
  const visit = historyOf(state, target).visits + 1;
  const feedback = writeFeedback({ ...facts, step: target, visit, answer, earlier });
  return { ...plan(target), feedback };
}

/** The work goes back to an earlier step, which counts as one round of the step that sends it. */
export function goBack(state: WorkflowState, from: string, planned: PlannedVisit): WorkflowState {
  const rounds = historyOf(state, from).rounds + 1;
  return enterStep(changeHistory(state, from, { rounds }), planned);
}

export type Trouble = {
  readonly why: string;
  /** What runs if the person wants to continue. */
  readonly back: PlannedVisit;
  /** Whether the workflow may continue as if the step had been done. */
  readonly accepts: boolean;
  /** The visit that continues if the person accepts. Null: the step is over then. */
  readonly visit?: Visit;
  /** The gate that is red, if the person may accept it. */
  readonly redGate?: string;
};

/** The workflow cannot continue by itself. */
export function askAboutTrouble(
  state: WorkflowState,
  step: WorkflowStep,
  { why, back, accepts, visit, redGate }: Trouble,
): WorkflowState {
  const short = cutAtWord(joinLines(why), WHY_MAX);
  const answers = [
    back.step === step.id ? 'continue runs the step again' : `continue goes back to ${back.step}`,
    ...(accepts
      ? ['accept continues with the work as it is, which then counts as unverified']
      : []),
    'stop ends the workflow',
  ];
  return ask(state, {
    kind: 'trouble',
    step: step.id,
    text: `Step ${step.id} needs you: ${asSentence(short)} Your answer: ${answers.join('; ')}.`,
    choices: accepts ? ['continue', 'accept', 'stop'] : ['continue', 'stop'],
    why: `${step.id}: ${short}`,
    back,
    visit: visit ?? null,
    ...(redGate === undefined ? {} : { redGate }),
  });
}

/** `visit`: the commit that is made after the approval. */
function askApproval(state: WorkflowState, step: WorkflowStep, visit: Visit | null): WorkflowState {
  const { size, summary } = state;
  const what =
    visit === null
      ? `Step ${step.id} waits for your approval`
      : `Step ${step.id} is about to commit`;
  const changes =
    size === null
      ? ''
      : ` The work changes ${plural(size.files, 'file')} (${size.added} added, ${size.deleted} deleted).`;
  const words = quotable(summary);
  const said = words === '' ? '' : ` The agent says: "${asSentence(cutAtWord(words, WHY_MAX))}"`;
  const target = backTarget(state, step);
  const answers = `approve continues; send-back returns the work to ${target}; reject ends the workflow`;
  return ask(state, {
    kind: visit === null ? 'approval' : 'commit',
    step: step.id,
    text: `${what}.${changes}${said} Your answer: ${answers}.`,
    choices: APPROVAL_CHOICES,
    why: '',
    back: plan(target),
    visit,
    ...(needsAssessment(state) ? { needs: null } : {}),
  });
}

const CONTROL_CHARACTERS =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g;

/** Words of an agent on one line: nothing in them ends the quotation, or controls a terminal. */
function quotable(text: string): string {
  return joinLines(text.replaceAll(CONTROL_CHARACTERS, ' ')).replaceAll('"', "'");
}

function backTarget(state: WorkflowState, step: WorkflowStep): string {
  switch (step.kind) {
    case 'role':
      return step.onReject ?? step.id;
    case 'human':
    case 'review':
      return step.onReject ?? state.writer ?? step.id;
    case 'gate':
    case 'command':
    case 'commit':
      return step.onFail ?? state.writer ?? step.id;
  }
}

function ask(state: WorkflowState, question: Omit<Question, 'number'>): WorkflowState {
  return askAgain(state, { ...question, number: 0 });
}

/** The question under a new key. It is asked again if it was interrupted, or if its answer has no meaning. */
export function askAgain(state: WorkflowState, question: Question): WorkflowState {
  const number = state.counts.ask + 1;
  const counts = { ...state.counts, ask: number };
  return { ...state, counts, stage: { kind: 'ask', question: { ...question, number } } };
}

export function addRemark(state: WorkflowState, remark: string): WorkflowState {
  const { remarks } = state;
  if (remarks.length >= REMARKS_MAX || remarks.includes(remark)) return state;
  return { ...state, remarks: [...remarks, cutAtWord(oneLine(remark), REMARK_CHARS_MAX)] };
}

export function endWorkflow(
  state: WorkflowState,
  kind: RunOutcome['kind'],
  reason: string,
): WorkflowState {
  return {
    ...state,
    stage: { kind: 'end', outcome: { kind, reason: truncate(reason, REASON_MAX) } },
  };
}
