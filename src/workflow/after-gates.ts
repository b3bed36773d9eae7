/** How the workflow continues when a gate of a step has ended. */
import { defined } from '../base/defined.ts';
import { limitsOfProof } from '../protocol/words/gate-caveats.ts';
import type { GateOutcome } from '../protocol/contracts/gate-contract.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import { describeRedGate } from '../protocol/words/red-gate-words.ts';
import type { CommandStep, CommitStep, GateStep } from '../protocol/workflow-definition.ts';
import { acceptedBy } from './accepted-gates.ts';
import {
  addRemark,
  afterDone,
  askAboutTrouble,
  beforeCommit,
  goBack,
  goForward,
  plan,
  planWithFeedback,
} from './enter-step.ts';
import { gatesOf } from './final-outcome.ts';
import { coverageIn, leastCoverage } from './measured-coverage.ts';
import type { StepHistory, Visit, WorkflowState } from './workflow-state.ts';
import { changeHistory, contentOf, definitionOf, historyOf } from './workflow-state.ts';

type CheckingStep = GateStep | CommandStep | CommitStep;
type RedGate = Exclude<GateOutcome, { kind: 'passed' }>;

const RED_MAX = 500;

/** The gates that ended together count in their order. After a red one, the others do not count. */
export function afterGates(
  state: WorkflowState,
  step: CheckingStep,
  visit: Visit,
  ended: readonly { readonly place: number; readonly outcome: GateOutcome }[],
): WorkflowState {
  const next = ended.find(({ place }) => place === visit.gates.length);
  if (next === undefined) return { ...state, stage: { kind: 'step', visit } };
  const counted = { ...visit, gates: [...visit.gates, next.outcome] };
  const after = afterGate(state, step, counted);
  const isNextThere = ended.some(({ place }) => place === counted.gates.length);
  const { stage } = after;
  const mayContinue = stage.kind === 'step' && stage.visit === counted;
  return mayContinue && isNextThere ? afterGates(after, step, counted, ended) : after;
}

/** `visit` already has the result of the gate. Later gates do not run after a red one. */
function afterGate(state: WorkflowState, step: CheckingStep, visit: Visit): WorkflowState {
  const gates = gatesOf(step);
  const outcome = visit.gates.at(-1);
  const gate = gates[visit.gates.length - 1];
  if (outcome === undefined || gate === undefined) return state;
  const isProtected = outcome.kind === 'failed' && outcome.blocks === true;
  const isRed = outcome.kind !== 'passed' && (gate.warns !== true || isProtected);
  if (isRed && (isProtected || gate.blocks === true || !isAccepted(state, outcome)))
    return afterRed(state, step, visit, gate, outcome);
  return continueGates(state, step, visit);
}

/** A gate that was not run, because it depends on an accepted one, is accepted with that. */
function isAccepted(state: WorkflowState, outcome: RedGate): boolean {
  const { skippedFor = outcome.name } = outcome.kind === 'unable' ? outcome : {};
  return [outcome.name, skippedFor].some((name) => acceptedBy(state, name) !== undefined);
}

/** The next gate of the visit runs. After the last one, the step is done. */
export function continueGates(
  state: WorkflowState,
  step: CheckingStep,
  visit: Visit,
): WorkflowState {
  const gates = gatesOf(step);
  const outcome = visit.gates.at(-1);
  if (outcome === undefined || visit.gates.length < gates.length)
    return { ...state, stage: { kind: 'step', visit } };
  const counted = gates.flatMap(({ warns }, place) => (warns === true ? [] : [place]));
  const isGreen = counted.every((place) => visit.gates[place]?.kind === 'passed');
  const green = isGreen && counted.length > 0 ? contentOf(state) : null;
  const accepted = isGreen ? historyOf(state, step.id).accepted : contentOf(state);
  const proofLimits = visit.gates.flatMap((one, place) =>
    gates[place]?.warns === true ? [] : limitsOfProof(one),
  );
  const written = withWrites(state, step, outcome);
  const measured = defined({ coverage: measuredCoverage(contentOf(state), visit) });
  const passed = changeHistory(written, step.id, {
    ...{ green, accepted, proofLimits, red: null },
    ...measured,
  });
  return step.kind === 'commit'
    ? beforeCommit(passed, step, visit)
    : afterDone(passed, step, visit);
}

function measuredCoverage(content: string, { gates }: Visit): StepHistory['coverage'] {
  const least = leastCoverage(
    gates.flatMap((outcome) => ('coverage' in outcome ? [coverageIn(outcome.coverage)] : [])),
  );
  return least === undefined ? undefined : { content, ...least };
}

/** What a command has written is part of the work from now on. Gates that judged the work before run again. */
function withWrites(
  state: WorkflowState,
  { kind }: CheckingStep,
  outcome: GateOutcome,
): WorkflowState {
  if (kind !== 'command' || outcome.kind !== 'passed' || outcome.work === undefined) return state;
  const { files, added, deleted, names, ...work } = outcome.work;
  return { ...state, work, size: { files, added, deleted, names } };
}

function afterRed(
  state: WorkflowState,
  step: CheckingStep,
  visit: Visit,
  { blocks, asks }: PinnedGate,
  outcome: RedGate,
): WorkflowState {
  const { rounds, red } = historyOf(state, step.id);
  const report = outcome.kind === 'failed' ? outcome.tail : outcome.why;
  const counted = changeHistory(state, step.id, { red: report.slice(-RED_MAX), green: null });
  const target = step.onFail ?? (step.kind === 'commit' ? state.writer : null);
  const { name, kind } = outcome;
  const details = kind === 'failed' ? outcome : {};
  const why = describeRedGate({ ...details, name, kind, output: report });
  const facts = { category: 'logic', from: step.id, report: `${why}\n${report}` } as const;
  // A gate that cannot run for the same reason as before was not helped by another round.
  const isStuck = kind === 'unable' && red === report.slice(-RED_MAX);
  // With `protect: block`, a gate that would let the work through may still block it.
  const isBlocked = blocks === true || (outcome.kind === 'failed' && outcome.blocks === true);
  // An agent must not undo what a person did: they decide about a gate that is red on their edit.
  const isForPerson = isBlocked || asks === true || state.edited === contentOf(state);
  const mayGoBack = !isForPerson && !isStuck && rounds < roundsMax(state, step);
  if (target !== null && mayGoBack)
    return goBack(counted, step.id, planWithFeedback(counted, target, facts));
  if (!step.required && !isForPerson)
    return goForward(
      addRemark(counted, `step ${step.id} was skipped: ${why}`),
      step,
      visit.recheck,
    );
  const again = target ?? state.writer;
  const back = again === null ? plan(step.id) : planWithFeedback(counted, again, facts);
  const accepts = isBlocked ? {} : { redGate: name };
  return askAboutTrouble(counted, step, { why, back, accepts: !isBlocked, visit, ...accepts });
}

function roundsMax(state: WorkflowState, { kind, retry }: CheckingStep): number {
  const { roundsMax } = definitionOf(state).limits;
  return kind === 'commit' ? roundsMax : Math.min(retry.attemptsMax - 1, roundsMax);
}
