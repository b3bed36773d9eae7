/** How the workflow continues after the run of a step has failed. */
import { plural } from '../base/text.ts';
import type { WorkflowStep } from '../protocol/workflow-definition.ts';
import { BREAKER_FAILURES_MAX, BREAKER_WITHIN_MS } from '../protocol/breaker.ts';
import {
  addRemark,
  askAboutTrouble,
  enterStep,
  goBack,
  goForward,
  planWithFeedback,
} from './enter-step.ts';
import { decideRecovery } from './step-recovery.ts';
import type { StepVerdict } from './verdict.ts';
import type { PlannedVisit, Visit, WorkflowState } from './workflow-state.ts';
import { changeHistory, definitionOf, historyOf } from './workflow-state.ts';

type Failed = Extract<StepVerdict, { kind: 'failed' }>;

/** `prior`: the state before the visit left its work, which a step that is skipped does not change. */
export function afterFailure(
  prior: WorkflowState,
  state: WorkflowState,
  step: WorkflowStep,
  visit: Visit,
  failure: Failed,
  isBreakerOpen: boolean,
): WorkflowState {
  const history = historyOf(state, step.id);
  const failed = history.failed + 1;
  const { work, size, summary, writer } = prior;
  // A failure that saw no base yet does not count as the state before.
  const known = (history.before?.work ?? null) === null ? null : history.before;
  const before = known ?? { work, size, summary, writer };
  const counted = changeHistory(state, step.id, { failed, before });
  const { action, category, message } = failure;
  const recovery = decideRecovery({
    ...{ action, failed, level: visit.level, retry: step.retry, isBreakerOpen },
  });
  const facts = { category, from: step.id, report: message };
  const again = planWithFeedback(counted, step.id, facts, visit.feedback);
  const told: PlannedVisit = isBreakerOpen ? { ...again, isForced: true } : again;
  switch (recovery.kind) {
    case 'again':
      return enterStep(counted, { ...told, level: visit.level });
    case 'wait': {
      const planned = { ...told, feedback: visit.feedback, level: visit.level };
      return waitBefore(counted, recovery.nth, message, planned);
    }
    case 'degrade':
      return enterStep(counted, { ...told, level: recovery.level });
    case 'fail':
      return failForGood(counted, step, message, told);
    case 'ask': {
      if (!step.required && step.retry.whenUsedUp !== 'ask')
        return skipStep(counted, step, message);
      const often = `it failed ${plural(BREAKER_FAILURES_MAX, 'time')} within ${BREAKER_WITHIN_MS / 1000} s, the last time because: `;
      const why = isBreakerOpen && action !== 'escalate' ? `${often}${message}` : message;
      return askAboutTrouble(counted, step, { why, back: told, accepts: false });
    }
  }
}

/** Its `onFail` step gets the work. Without one, an optional step is skipped, and a person decides about another. */
export function failForGood(
  state: WorkflowState,
  step: WorkflowStep,
  message: string,
  again: PlannedVisit,
): WorkflowState {
  const { rounds } = historyOf(state, step.id);
  const { onFail } = step;
  if (onFail !== null && rounds < definitionOf(state).limits.roundsMax) {
    const facts = { category: 'logic', from: step.id, report: message } as const;
    return goBack(forgetFailures(state, step), step.id, planWithFeedback(state, onFail, facts));
  }
  if (!step.required) return skipStep(state, step, message);
  return askAboutTrouble(state, step, { why: message, back: again, accepts: false });
}

/** What it left is dropped: the next step gets the work from before. */
export function skipStep(state: WorkflowState, step: WorkflowStep, message: string): WorkflowState {
  const { before } = historyOf(state, step.id);
  const restored = before === null ? state : { ...state, ...before };
  const forgotten = forgetFailures(restored, step);
  return goForward(addRemark(forgotten, `step ${step.id} was skipped: ${message}`), step);
}

function forgetFailures(state: WorkflowState, { id }: WorkflowStep): WorkflowState {
  return changeHistory(state, id, { failed: 0, before: null });
}

function waitBefore(
  state: WorkflowState,
  nth: number,
  why: string,
  planned: PlannedVisit,
): WorkflowState {
  const number = state.counts.wait + 1;
  const counts = { ...state.counts, wait: number };
  return { ...state, counts, stage: { kind: 'wait', number, nth, why, planned } };
}
