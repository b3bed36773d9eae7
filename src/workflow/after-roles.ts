/** How the workflow continues when the roles of a step have ended. */
import { plural, shortList } from '../base/text.ts';
import type { AcceptedGate } from '../protocol/words/accepted-gate.ts';
import type { AnswerKind, InterfaceChange } from '../protocol/answer.ts';
import { ANSWERS } from '../protocol/answer.ts';
import type { CollectStepResult } from '../protocol/contracts/workflow-contract.ts';
import type { ReviewStep, RoleStep } from '../protocol/workflow-definition.ts';
import { acceptGates } from './accepted-gates.ts';
import { keepConversation } from './conversations.ts';
import { afterFailure, failForGood } from './after-failure.ts';
import {
  addRemark,
  afterDone,
  askAboutTrouble,
  endWorkflow,
  enterStep,
  goBack,
  plan,
  planWithFeedback,
} from './enter-step.ts';
import { addUnchanged } from './feedback.ts';
import { describeFinding, isSameRound, normalizeFindings } from './findings.ts';
import { addOutputs } from './outputs.ts';
import type { ReviewerVote } from './review.ts';
import { aggregateVotes } from './review.ts';
import type { StepVerdict } from './verdict.ts';
import { isApproval, judgeRun } from './verdict.ts';
import { addNotes } from './work-notes.ts';
import type { RolePart, Visit, WorkflowState } from './workflow-state.ts';
import { changeHistory, definitionOf, historyOf, isWriter } from './workflow-state.ts';

const CONTENTS_MAX = 50;
/** A visit without progress is repeated once. */
const UNCHANGED_MAX = 1;

/** How one role of a visit ended. */
export function judgePart(state: WorkflowState, part: RolePart): StepVerdict {
  const { role, outcome, collected, unable } = part;
  if (unable !== null || outcome === null || collected === null) {
    const message = unable ?? 'it has no result';
    return { kind: 'failed', action: 'escalate', category: 'cli_error', message };
  }
  return judgeRun(answerOf(state, role), outcome, collected);
}

function answerOf({ settings }: WorkflowState, role: string): AnswerKind {
  return settings.workflow.roles[role]?.answer ?? 'generic';
}

export function afterRole(
  state: WorkflowState,
  step: RoleStep,
  visit: Visit,
  part: RolePart,
  isBreakerOpen: boolean,
): WorkflowState {
  const verdict = judgePart(state, part);
  const heard = keepConversation(state, step, part, verdict.kind === 'failed');
  const based = keepBase(heard, part);
  const kept = keepWork(based, step, part.collected);
  const changes = interfaceChangesOf(state, part);
  if (changes.length > 0) {
    const files = shortList(
      changes.map(({ file }) => file),
      5,
    );
    const asking = { ...kept, interfaceChanges: changes };
    return endWorkflow(asking, 'unverified', `it asks to change the locked interface ${files}`);
  }
  switch (verdict.kind) {
    case 'failed':
      return afterFailure(based, kept, step, visit, verdict, isBreakerOpen);
    case 'rejected':
      return afterRejection(kept, step, visit, verdict);
    case 'done': {
      const done = recordDone(kept, step, visit, part.collected);
      return isWriter(done, step.role) && done.work !== null
        ? afterWriting(done, step, visit, done.work.content)
        : afterDone(done, step, visit);
    }
  }
}

/** Only a run with locked files can ask. */
function interfaceChangesOf(
  { settings }: WorkflowState,
  { collected }: RolePart,
): readonly InterfaceChange[] {
  if (settings.locked === undefined) return [];
  const read = ANSWERS.implementation.safeParse(collected?.answer);
  return read.data?.interface_changes ?? [];
}

/** All steps have the same base: the first step that sees one names it. */
function keepBase(state: WorkflowState, { collected }: RolePart): WorkflowState {
  const base = collected?.base ?? null;
  return state.work === null && base !== null ? { ...state, work: base } : state;
}

/** Only a role that writes moves the work, even if it failed. */
function keepWork(
  state: WorkflowState,
  { id, role }: RoleStep,
  collected: CollectStepResult | null,
): WorkflowState {
  if (collected === null || !isWriter(state, role)) return state;
  if (collected.work === null) return { ...state, writer: id };
  const { run, tree, commit, content, files, added, deleted, names } = collected.work;
  const kept = {
    ...state,
    work: { run, tree, commit, content },
    setupOf: run,
    size: { files, added, deleted, names },
    summary: collected.summary,
    writer: id,
  };
  return keepAccepted(kept, id, collected.accepted ?? []);
}

/** The person who accepted a red gate in the run of the step is not asked about it again. */
function keepAccepted(
  state: WorkflowState,
  step: string,
  accepted: readonly AcceptedGate[],
): WorkflowState {
  const noted = accepted.reduce(
    (so, { gate, by }) => addRemark(so, `accepted by ${by}: ${step}: gate ${gate} is red`),
    state,
  );
  return acceptGates(noted, accepted);
}

function recordDone(
  state: WorkflowState,
  step: RoleStep,
  { level }: Visit,
  collected: CollectStepResult | null,
): WorkflowState {
  const said = { answer: collected?.answer ?? null, summary: collected?.summary ?? '' };
  const outputs = addOutputs(state.outputs, step.id, step.outputs, said);
  const done = changeHistory(addNotes({ ...state, outputs }, said.answer), step.id, {
    ...{ failed: 0, before: null, findings: null },
  });
  return level === 'full'
    ? done
    : addRemark(done, `step ${step.id} was degraded: only its ${level} form is done`);
}

/** After feedback, the same files as after an earlier visit are no progress. */
function afterWriting(
  state: WorkflowState,
  step: RoleStep,
  visit: Visit,
  content: string,
): WorkflowState {
  const { feedback, level } = visit;
  const { contents, unchanged, visits } = historyOf(state, step.id);
  const isAsked =
    feedback !== null && (feedback.category === 'person' || feedback.from !== step.id);
  const isSame = isAsked && contents.includes(content);
  const noted = changeHistory(state, step.id, {
    contents: [...contents, content].slice(-CONTENTS_MAX),
    unchanged: isSame ? unchanged + 1 : 0,
  });
  if (!isSame) return afterDone(noted, step, visit);
  const back = { ...plan(step.id), level, feedback: addUnchanged(feedback, visits + 1) };
  if (unchanged < UNCHANGED_MAX) return enterStep(noted, back);
  const why = `it left the same files as an earlier visit ${plural(unchanged + 1, 'time')} in a row`;
  return askAboutTrouble(noted, step, { why, back, accepts: true });
}

/** Every reviewer has ended. */
export function afterReview(state: WorkflowState, step: ReviewStep, visit: Visit): WorkflowState {
  const judged = visit.parts.map((part) => ({ part, verdict: judgePart(state, part) }));
  const votes = judged.map(({ part, verdict }): ReviewerVote => {
    if (verdict.kind === 'failed') return 'inconclusive';
    const answer = part.collected?.answer ?? null;
    return isApproval(answerOf(state, part.role), answer) ? 'approved' : 'rejected';
  });
  const based = judged.reduce((so, { part }) => keepBase(so, part), state);
  switch (aggregateVotes(step.agree, votes)) {
    case 'approved':
      return afterDone(changeHistory(based, step.id, { findings: null }), step, visit);
    case 'rejected': {
      const rejections = judged.flatMap(({ verdict }) =>
        verdict.kind === 'rejected' ? [verdict] : [],
      );
      const findings = rejections.flatMap((one) => one.findings);
      const isWrong = rejections.some((one) => one.isWrong);
      return afterRejection(based, step, visit, { findings, isWrong });
    }
    case 'inconclusive': {
      const failures = judged.flatMap(({ part, verdict }) =>
        verdict.kind === 'failed' ? [`${part.role}: ${verdict.message}`] : [],
      );
      const why = `the review has no result, because a reviewer failed: ${failures.join('; ')}`;
      return askAboutTrouble(based, step, { why, back: plan(step.id), accepts: true });
    }
  }
}

type Rejection = Omit<Extract<StepVerdict, { kind: 'rejected' }>, 'kind'>;

/**
 * Rounds are bounded, and a round that finds the same again goes to a person. So does an approach that is wrong: an
 * agent would only improve it. Where no person is asked, it gets its rounds all the same.
 */
function afterRejection(
  state: WorkflowState,
  step: RoleStep | ReviewStep,
  visit: Visit,
  { findings, isWrong }: Rejection,
): WorkflowState {
  const { rounds, findings: before } = historyOf(state, step.id);
  const { roundsMax } = definitionOf(state).limits;
  const normalized = normalizeFindings(findings);
  const counted = changeHistory(state, step.id, { findings: normalized });
  const report =
    findings.length === 0
      ? 'It rejects the work and names no finding.'
      : findings.map(describeFinding).join('\n');
  const facts = { category: 'review', from: step.id, report } as const;
  if (step.onReject === null) return withoutTarget(counted, step, visit, facts);
  const back = planWithFeedback(counted, step.onReject, facts);
  const same = isSameRound(before, normalized) ? 'its last two rounds found the same' : undefined;
  const many = rounds >= roundsMax ? `all ${plural(roundsMax, 'round')} are used up` : undefined;
  const isHopeless = isWrong && state.settings.recovery.ask !== false;
  const wrong = isHopeless ? 'it says that the approach is wrong' : undefined;
  const why = wrong ?? same ?? many;
  if (why === undefined) return goBack(counted, step.id, back);
  return askAboutTrouble(counted, step, { why: `${why}: ${report}`, back, accepts: true });
}

/** A step that rejects the work, and has no step to send it to. */
function withoutTarget(
  state: WorkflowState,
  step: RoleStep | ReviewStep,
  { feedback, level }: Visit,
  facts: Parameters<typeof planWithFeedback>[2],
): WorkflowState {
  const again = { ...planWithFeedback(state, step.id, facts, feedback), level };
  if (step.kind === 'role' && isWriter(state, step.role)) {
    const { failed } = historyOf(state, step.id);
    const counted = changeHistory(state, step.id, { failed: failed + 1 });
    if (failed + 1 < step.retry.attemptsMax) return enterStep(counted, again);
  }
  return failForGood(state, step, facts.report, again);
}
