/** The moves that the state of a workflow calls for. */
import type { Instant } from '../base/clock.ts';
import { at } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { commandKey } from '../base/ids.ts';
import { asSentence, truncate } from '../base/text.ts';
import type { Move } from '../engine/program.ts';
import type { GateInput } from '../protocol/contracts/gate-contract.ts';
import { REASON_MAX } from '../protocol/outcome.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import type { ApprovalSubject, PlannedCommit } from '../protocol/contracts/workflow-contract.ts';
import type {
  CommitStep,
  RoleStep,
  ReviewStep,
  WorkflowStep,
} from '../protocol/workflow-definition.ts';
import { placesSideBySide } from '../attempts/gates/side-by-side.ts';
import { acceptedBy, acceptedOnWork } from './accepted-gates.ts';
import { assessMove } from './approval-needs.ts';
import { commitTexts } from './commit-texts.ts';
import { continuedBy, mayContinue } from './conversations.ts';
import { gatesOf, isVerified } from './final-outcome.ts';
import { fillIn } from './outputs.ts';
import { judgePart } from './after-roles.ts';
import { breakerKey, commitKey, gateKey, numberedKey, partKey } from './step-keys.ts';
import { retryWaitMs } from './step-recovery.ts';
import type { Question, RolePart, StepSubmission, Visit, WorkflowState } from './workflow-state.ts';
import { contentOf, definitionOf, isWriter, stepOf } from './workflow-state.ts';

const NAMES_MAX = 50;

export function nextMoves(state: WorkflowState, now: Instant, random: number): readonly Move[] {
  const { stage, stop, open } = state;
  // The end waits for other reviewers too.
  if ((stop !== null || stage.kind === 'end') && open.length > 0) {
    const how = stop === 'kill' ? 'kill' : 'ask';
    return open.map(({ key }) => ({ kind: 'cancel', key: commandKey(key), how }));
  }
  if (stage.kind === 'end') return [{ kind: 'finish', outcome: stage.outcome }];
  if (stop !== null) return [stopMove(state, stop)];
  switch (stage.kind) {
    case 'step':
      return visitMoves(state, stage.visit);
    case 'wait': {
      if (open.length > 0) return [];
      const { number, nth, why, planned } = stage;
      const step = stepOf(state, planned.step);
      const waitMs = step === undefined ? 0 : retryWaitMs(step.retry, nth, random);
      const key = numberedKey('wait', planned.step, number);
      return [{ kind: 'wait', key, until: at(now + waitMs), reason: 'retry', why }];
    }
    case 'breaker':
      return open.length > 0 ? [] : breakerMove(state, stage.visit, stage.repeats);
    case 'ask': {
      if (open.length > 0) return [];
      const assessment = assessMove(state, stage.question);
      if (assessment !== undefined) return [assessment];
      if (state.settings.recovery.ask === false) return [endUnasked(stage.question)];
      const { number, kind, step, text, choices, redGate } = stage.question;
      const key = numberedKey('ask', step, number);
      const approval =
        kind === 'trouble' ? {} : { approval: approvalSubject(state, stage.question) };
      const until = askedUntil(stage.question, now);
      const more = defined({ redGate, editable: editableWork(state, kind) });
      return [{ kind: 'ask', key, question: text, choices, ...approval, ...more, ...until }];
    }
  }
}

/** What a person approves can be edited anyway. Undefined: no step has changed a file. */
function editableWork(state: WorkflowState, kind: Question['kind']): string | undefined {
  return kind === 'trouble' && state.size !== null ? contentOf(state) : undefined;
}

function askedUntil(
  { needs, until, parked }: Question,
  now: Instant,
): { readonly until?: Instant } {
  const timeout = needs?.timeout;
  if (timeout === undefined || parked === true) return {};
  return { until: at(until ?? now + timeout.afterMs) };
}

/** The user wants no question, so the run ends where it would ask. No step is passed without its approval. */
function endUnasked({ kind, step, why }: Question): Move {
  const cause = kind === 'trouble' ? why : `${step}: it needs an approval`;
  const reason = `${asSentence(cause)} The run ends here, because it may not ask (--no-ask)`;
  const outcome = { kind: 'blocked', reason: truncate(reason, REASON_MAX) } as const;
  return {
    kind: 'finish',
    outcome: kind === 'trouble' ? outcome : { ...outcome, needs: 'approval' },
  };
}

/** What an approval is about, so that it counts for exactly this state of the work. */
function approvalSubject(
  state: WorkflowState,
  { kind, step, needs, parked }: Question,
): ApprovalSubject {
  const { files = 0, added = 0, deleted = 0, names = [] } = state.size ?? {};
  const subject = { step, work: contentOf(state), files, added, deleted };
  return {
    ...subject,
    names: names.slice(0, NAMES_MAX),
    ...(needs === undefined || needs === null ? {} : { needs }),
    ...(parked === undefined ? {} : { parked }),
    ...(kind === 'commit' ? { commit: plannedCommit(state, step) } : {}),
  };
}

/** More than a message of a commit may have. */
const MESSAGE_MAX = 8000;

function plannedCommit(state: WorkflowState, id: string): PlannedCommit {
  const step = stepOf(state, id);
  if (step?.kind !== 'commit') return { branch: null, message: '', pullRequest: null };
  const { branch, message, title } = commitTexts(state, step);
  const pullRequest = step.pullRequest === null ? null : title;
  return { branch, message: message.slice(0, MESSAGE_MAX), pullRequest };
}

function stopMove({ stage }: WorkflowState, stop: 'stop' | 'kill'): Move {
  const kind = stop === 'kill' ? 'killed' : 'cancelled';
  return {
    kind: 'finish',
    outcome: { kind, reason: `stopped by the user ${describeStage(stage)}` },
  };
}

function describeStage(stage: WorkflowState['stage']): string {
  switch (stage.kind) {
    case 'step':
    case 'breaker':
      return `during step ${stage.visit.step}`;
    case 'ask':
      return `during step ${stage.question.step}`;
    case 'wait':
      return `before step ${stage.planned.step} is repeated`;
    case 'end':
      return 'at the end';
  }
}

function visitMoves(state: WorkflowState, visit: Visit): readonly Move[] {
  const step = stepOf(state, visit.step);
  switch (step?.kind) {
    case 'role':
    case 'review':
      return visit.parts.flatMap((part, place) => {
        const isOpen = state.open.some((one) => one.part === place);
        return isOpen || part.phase === 'ended' ? [] : partMove(state, step, visit, part, place);
      });
    case 'gate':
    case 'command':
    case 'commit': {
      const gates = gateMoves(state, step, visit);
      if (gates.length > 0 || state.open.length > 0) return gates;
      return step.kind === 'commit' ? commitMove(state, step, visit) : [];
    }
    case 'human':
    case undefined:
      return [];
  }
}

function partMove(
  state: WorkflowState,
  step: RoleStep | ReviewStep,
  visit: Visit,
  part: RolePart,
  place: number,
): readonly Move[] {
  const { project, task, work, outputs } = state;
  const { role, phase, submission, run } = part;
  switch (phase) {
    case 'prepare': {
      const { feedback, level } = visit;
      const isWriting = step.kind === 'role' && isWriter(state, role);
      const gatesOf = isWriting ? gateStepsAfter(state, step) : [];
      const breaker = { workflow: definitionOf(state).name, isForced: visit.isForced === true };
      const input = {
        ...{ project, task, step: step.id, role, work, outputs, feedback, level, gatesOf },
        ...(step.kind === 'role' ? { breaker } : {}),
        ...defined({ continues: continuedBy(state, step) }),
      };
      const key = partKey('prepare', visit, place, part);
      return [{ kind: 'perform', key, command: 'prepare-step', input }];
    }
    case 'run':
      if (submission === null) return [];
      return [
        {
          kind: 'run',
          key: partKey('run', visit, place, part),
          submission: withDeadline(submission, step.timeoutMs),
        },
      ];
    case 'collect': {
      if (run === null) return [];
      const key = partKey('collect', visit, place, part);
      const asked = mayContinue(state, step) ? ({ conversation: true } as const) : {};
      const input = { project, run, ...asked };
      return [{ kind: 'perform', key, command: 'collect-step', input }];
    }
    case 'ended':
      return [];
  }
}

function breakerMove(state: WorkflowState, visit: Visit, repeats: number): readonly Move[] {
  const [part] = visit.parts;
  if (part === undefined) return [];
  const verdict = judgePart(state, part);
  const input = {
    ...{ project: state.project, workflow: definitionOf(state).name, step: visit.step },
    ...{ child: part.run, visit: visit.number },
    result: verdict.kind === 'failed' ? 'failed' : 'passed',
    reason: verdict.kind === 'failed' ? verdict.message : '',
  } as const;
  const key = breakerKey(visit, repeats);
  return [{ kind: 'perform', key, command: 'update-breaker', input }];
}

/** The gate steps that follow directly, one after the other. */
function gateStepsAfter(state: WorkflowState, { id, next }: WorkflowStep): readonly string[] {
  const found: string[] = [];
  let step = next === null ? undefined : stepOf(state, next);
  while (step?.kind === 'gate' && step.id !== id && !found.includes(step.id)) {
    found.push(step.id);
    step = step.next === null ? undefined : stepOf(state, step.next);
  }
  return found;
}

/** The time limit of the step bounds each attempt of its run. Waits for people and limits do not count there. */
function withDeadline(submission: StepSubmission, timeoutMs: number): StepSubmission {
  const { settings } = submission;
  const deadlineMs = Math.min(settings.deadlineMs ?? timeoutMs, timeoutMs);
  return { ...submission, settings: { ...settings, deadlineMs } };
}

/** The next gate, or all that may run side by side, except those that have begun or ended. */
function gateMoves(state: WorkflowState, step: WorkflowStep, visit: Visit): readonly Move[] {
  const gates = gatesOf(step);
  const next = visit.gates.length;
  if (visit.approved || next >= gates.length) return [];
  const { open } = state;
  return placesSideBySide(gates, next)
    .filter((place) => !open.some(({ command, part }) => command === 'gate' && part === place))
    .filter((place) => visit.aside?.some((one) => one.place === place) !== true)
    .flatMap((place) => {
      const gate = gates[place];
      return gate === undefined ? [] : [gateMove(state, step, visit, gate, place)];
    });
}

function gateMove(
  state: WorkflowState,
  step: WorkflowStep,
  visit: Visit,
  gate: PinnedGate,
  place: number,
): Move {
  const { project, settings, work, outputs, setupOf } = state;
  // Only a command may use values of answers: an agent must not influence what a gate runs.
  const command =
    step.kind === 'command' ? gate.command.map((word) => fillIn(word, outputs)) : gate.command;
  const input = {
    ...gate,
    command,
    project,
    attempt: 0,
    sandbox: settings.sandbox,
    unsafe: settings.unsafe === true,
    ...(work === null ? {} : { work }),
    // An edit of a person and what a command wrote belong to the run of the workflow, which has no setup.
    ...(setupOf === undefined || setupOf === work?.run ? {} : { setupOf }),
    ...(step.kind === 'command' && step.allowedWrites.length > 0
      ? { keepsWrites: true as const }
      : {}),
    ...redDependency(gate, visit),
    ...defined({ acceptedBy: acceptedBy(state, gate.name) }),
  };
  return { kind: 'perform', key: gateKey(visit, place), command: 'gate', input };
}

/** A gate that depends on a red one is not run. */
function redDependency(
  { dependsOn = [], runsAfterRed = false }: PinnedGate,
  { gates }: Visit,
): Pick<GateInput, 'skippedFor'> {
  if (runsAfterRed) return {};
  const red = gates.find(({ name, kind }) => kind !== 'passed' && dependsOn.includes(name));
  return red === undefined ? {} : { skippedFor: red.name };
}

function commitMove(state: WorkflowState, step: CommitStep, visit: Visit): readonly Move[] {
  const { project, work } = state;
  if (work === null) return [];
  const { title, message, body, branch } = commitTexts(state, step);
  const { pullRequest } = step;
  const accepted = acceptedOnWork(state);
  const request = pullRequest === null ? null : { title, body, draft: pullRequest.draft };
  const input = {
    project,
    work,
    branch,
    message,
    isVerified: isVerified(state),
    ...(accepted.length === 0 ? {} : { accepted }),
    pullRequest: request,
  };
  return [{ kind: 'perform', key: commitKey(visit), command: 'commit-work', input }];
}
