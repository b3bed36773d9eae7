/** How the workflow continues after a person has answered. Only the exact word approves. */
import { formatDuration } from '../base/format-duration.ts';
import { oneLine } from '../base/text.ts';
import type { EditedWork } from '../protocol/approval.ts';
import { personName } from '../protocol/words/accepted-gate.ts';
import type { CommandEnd, Result } from '../protocol/commands.ts';
import type { WorkflowStep } from '../protocol/workflow-definition.ts';
import { acceptGates } from './accepted-gates.ts';
import { continueGates } from './after-gates.ts';
import { addApproval, isApproved, needsOf } from './approval-needs.ts';
import {
  addRemark,
  askAgain,
  endWorkflow,
  enterStep,
  goForward,
  planWithFeedback,
  recheckEdit,
} from './enter-step.ts';
import type { Question, WorkflowState } from './workflow-state.ts';
import { changeHistory, contentOf, stepOf } from './workflow-state.ts';

type Answered = Extract<Result<'ask'>, { readonly answer: string }>;

export function afterAnswer(
  state: WorkflowState,
  question: Question,
  answered: Answered,
): WorkflowState {
  const step = stepOf(state, question.step);
  if (step === undefined) return state;
  const decided = forgetRounds(forgetRounds(state, question.step), question.back.step);
  return question.kind === 'trouble'
    ? afterTrouble(state, decided, step, question, answered)
    : afterApproval(state, decided, step, question, answered);
}

/** A person has decided, so the step may go round as often as at the start. */
function forgetRounds(state: WorkflowState, id: string): WorkflowState {
  return changeHistory(state, id, {
    ...{ rounds: 0, failed: 0, before: null, unchanged: 0, findings: null, red: null },
  });
}

function afterTrouble(
  state: WorkflowState,
  decided: WorkflowState,
  step: WorkflowStep,
  question: Question,
  { answer, by, decision }: Answered,
): WorkflowState {
  const { choices, why, back } = question;
  if (decision?.edited !== undefined)
    return decision.work === contentOf(state)
      ? afterEdit(decided, step, decision.by, decision.edited)
      : askAgain(state, question);
  const choice = answer.trim();
  if (!choices.includes(choice)) return askAgain(state, question);
  switch (choice) {
    case 'continue':
      return enterStep(decided, back);
    case 'accept':
      return afterAccept(decided, step, question, personName(by));
    default:
      return endWorkflow(decided, 'failed', why);
  }
}

/** The person takes the work as it is. The gate of the question is not asked about again on this work. */
function afterAccept(
  state: WorkflowState,
  step: WorkflowStep,
  { why, visit, redGate }: Question,
  by: string,
): WorkflowState {
  const noted = addRemark(state, `accepted by ${by}: ${why}`);
  const isGate = step.kind === 'gate' || step.kind === 'command' || step.kind === 'commit';
  if (visit === null || !isGate)
    return goForward(changeHistory(noted, step.id, { accepted: contentOf(state) }), step);
  const gate = redGate ?? visit.gates.at(-1)?.name ?? step.id;
  return continueGates(acceptGates(noted, [{ gate, by }]), step, visit);
}

/** `send-back: TEXT` sends the work back with a comment. Any other text is a comment too, and never an approval. */
function afterApproval(
  before: WorkflowState,
  state: WorkflowState,
  step: WorkflowStep,
  question: Question,
  { answer, decision }: Answered,
): WorkflowState {
  const { word, comment } = readAnswer(answer);
  const { back } = question;
  if (decision?.edited !== undefined)
    return decision.work === contentOf(state)
      ? afterEdit(state, step, decision.by, decision.edited)
      : askAgain(before, question);
  if (word === 'approve') {
    const needs = addApproval(question.needs, contentOf(state), decision);
    if (needs === 'not-counted') return askAgain(before, question);
    return needs === undefined || isApproved(needs)
      ? approved(state, step, question)
      : askAgain(state, { ...question, needs });
  }
  if (word === 'reject') {
    const reason = comment === '' ? '' : `: ${oneLine(comment)}`;
    return endWorkflow(state, 'failed', `a person rejected the work at step ${step.id}${reason}`);
  }
  const report = comment === '' ? 'The work was sent back without a comment.' : comment;
  const facts = { category: 'person', from: step.id, report } as const;
  return enterStep(state, planWithFeedback(state, back.step, facts));
}

/** What the person left is the work now. Their word about it is asked for again, because its risk may be another. */
function afterEdit(
  state: WorkflowState,
  step: WorkflowStep,
  by: string | null,
  { run, tree, commit, content, ...size }: EditedWork,
): WorkflowState {
  const edited = { ...state, work: { run, tree, commit, content }, size, edited: content };
  const remark = `${by ?? 'a person'} changed the work at step ${step.id}`;
  return recheckEdit(addRemark(edited, remark), step);
}

function approved(state: WorkflowState, step: WorkflowStep, question: Question): WorkflowState {
  const { kind, visit } = question;
  if (kind === 'commit' && visit !== null)
    return { ...state, stage: { kind: 'step', visit: { ...visit, approved: true } } };
  return goForward(state, step);
}

/** No person decided in time. The work is never approved by that. */
export function afterTimeout(state: WorkflowState, question: Question): WorkflowState {
  const timeout = question.needs?.timeout;
  if (timeout?.onTimeout !== 'deny') return askAgain(state, { ...question, parked: true });
  const within = formatDuration(timeout.afterMs);
  const reason = `the work was rejected by timeout at step ${question.step}: no person decided within ${within}`;
  return endWorkflow(state, 'failed', reason);
}

/** The risk is known: a person is asked, unless the policy lets the work pass. */
export function afterAssessment(
  state: WorkflowState,
  question: Question,
  end: CommandEnd<'assess-change'>,
): WorkflowState {
  const step = stepOf(state, question.step);
  const policy = state.settings.workflow.approvals;
  if (step === undefined || policy === undefined || end.kind === 'interrupted')
    return askAgain(state, question);
  const needs = needsOf(end, policy);
  // A step that only a person can pass, and a commit, are asked about whatever the risk is.
  const passes = needs.peopleMin === 0 && question.kind === 'approval' && step.kind !== 'human';
  if (!passes) {
    const people = { ...needs, peopleMin: Math.max(1, needs.peopleMin) };
    return { ...state, stage: { kind: 'ask', question: { ...question, needs: people } } };
  }
  const [reason = ''] = needs.reasons;
  return approved(
    addRemark(
      state,
      `step ${step.id} was approved by the policy, because its risk is low: ${reason}`,
    ),
    step,
    question,
  );
}

function readAnswer(answer: string): { readonly word: string; readonly comment: string } {
  const text = answer.trim();
  const [, word = '', comment = ''] = /^(approve|reject|send-back)(?::\s*(.*))?$/s.exec(text) ?? [];
  // An approval with a comment could mean "approve, but": the comment counts.
  if (word === 'approve' && comment !== '') return { word: 'send-back', comment };
  return word === '' ? { word: 'send-back', comment: text } : { word, comment };
}
