/** How each event changes the state of a workflow. */
import type { CommandBegun, CommandEnd, CommandEnded } from '../protocol/commands.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { GateOutcome } from '../protocol/contracts/gate-contract.ts';
import { afterAnswer, afterAssessment, afterTimeout } from './after-answer.ts';
import { skipStep } from './after-failure.ts';
import { afterGates } from './after-gates.ts';
import { afterReview, afterRole, judgePart } from './after-roles.ts';
import {
  askAboutTrouble,
  askAgain,
  endWorkflow,
  enterStep,
  goForward,
  plan,
} from './enter-step.ts';
import { gatesOf } from './final-outcome.ts';
import type { OpenCommand, RolePart, Visit, WorkflowState } from './workflow-state.ts';
import { NEW_PART, stepOf } from './workflow-state.ts';
import { addOutputs } from './outputs.ts';
import { gateKey, partKey } from './step-keys.ts';

/** A reviewer that fails is tried once more. */
const REVIEWER_TRIES_MAX = 2;

export function foldWorkflow(state: WorkflowState, event: RunEvent): WorkflowState {
  switch (event.type) {
    case 'command.begun':
      return commandBegun(state, event.payload);
    case 'command.ended': {
      const open = state.open.find(({ key }) => key === event.payload.key);
      if (open === undefined) return state;
      const closed = { ...state, open: state.open.filter((one) => one !== open) };
      return commandEnded(closed, open, event.payload);
    }
    case 'signal.received': {
      const { kind } = event.payload.signal;
      if (kind === 'kill') return { ...state, stop: 'kill' };
      return kind === 'stop' ? { ...state, stop: state.stop ?? 'stop' } : state;
    }
    case 'run.submitted':
    case 'run.forked':
    case 'run.ended':
    case 'command.noted':
    case 'command.cancelled':
      return state;
  }
}

function commandBegun(state: WorkflowState, begun: CommandBegun): WorkflowState {
  const { key, command } = begun;
  const visit = visitOf(state);
  const part = visit === undefined ? 0 : partOf(state, visit, begun);
  const open = [...state.open, { key, command, part }];
  if (command === 'ask') return { ...keepDeadline(state, begun.input.until), open };
  if (command !== 'run' || visit === undefined) return { ...state, open };
  // The fact has the submission. The state does not keep it any longer.
  return changePart({ ...state, open }, visit, part, { submission: null, run: begun.input.run });
}

/** A question that is asked again keeps the end of its time. */
function keepDeadline(state: WorkflowState, until: number | undefined): WorkflowState {
  const { stage } = state;
  if (stage.kind !== 'ask' || until === undefined) return state;
  return { ...state, stage: { ...stage, question: { ...stage.question, until } } };
}

/** The place of the role that a command works for, or of the gate. 0: neither. */
function partOf(state: WorkflowState, visit: Visit, { key, command }: CommandBegun): number {
  if (command === 'gate') return placeOfGate(state, visit, key);
  const place = visit.parts.findIndex(
    (part, at) => part.phase !== 'ended' && partKey(part.phase, visit, at, part) === key,
  );
  return Math.max(0, place);
}

function commandEnded(
  state: WorkflowState,
  open: OpenCommand,
  { command, end }: CommandEnded,
): WorkflowState {
  const { stage, stop } = state;
  // A run that is stopped decides nothing more. But a commit that was made all the same counts.
  if (stop !== null && command !== 'commit-work') return state;
  if (command === 'ask') return stage.kind === 'ask' ? afterAsk(state, stage, end) : state;
  if (command === 'assess-change')
    return stage.kind === 'ask' ? afterAssessment(state, stage.question, end) : state;
  if (command === 'update-breaker')
    return stage.kind === 'breaker' ? afterBreaker(state, stage, end) : state;
  if (command === 'wait') return stage.kind === 'wait' ? afterWait(state, stage, end) : state;
  const visit = visitOf(state);
  if (visit === undefined) return state;
  if (end.kind === 'interrupted') return afterInterruption(state, visit, open);
  const defect = end.kind === 'defect' ? `internal error in Supervisor: ${end.message}` : '';
  switch (command) {
    case 'prepare-step': {
      if (end.kind === 'defect') return endPart(state, visit, open.part, { unable: defect });
      const { result } = end;
      if (result.kind === 'breaker-open') return breakerIsOpen(state, visit, result.why);
      if (result.kind === 'refused')
        return endPart(state, visit, open.part, { unable: result.why });
      const { notify: _, ...submission } = result.submission; // the workflow itself notifies
      const isCounted = result.isCounted === true;
      const prepared = { phase: 'run', submission, interruptions: 0, isCounted } as const;
      return changePart(state, visit, open.part, prepared);
    }
    case 'run': {
      if (end.kind === 'defect') return endPart(state, visit, open.part, { unable: defect });
      const { run, outcome } = end.result;
      if (run === null) return endPart(state, visit, open.part, { unable: outcome.reason });
      return changePart(state, visit, open.part, { phase: 'collect', run, outcome });
    }
    case 'collect-step':
      if (end.kind === 'defect') return endPart(state, visit, open.part, { unable: defect });
      return endPart(state, visit, open.part, { collected: end.result });
    case 'gate':
      return gateEnded(state, visit, open.part, end);
    case 'commit-work':
      return commitEnded(state, visit, end);
    case 'attempt':
    case 'baseline':
    case 'setup':
    case 'finalize':
    case 'check-availability':
    case 'set-cooldown':
    case 'claim-item':
    case 'deliver-message':
    case 'release-item':
    case 'send-message':
    case 'broadcast':
    case 'open-base':
    case 'merge-work':
    case 'write-interfaces':
      return state;
  }
}

function visitOf({ stage }: WorkflowState): Visit | undefined {
  return stage.kind === 'step' ? stage.visit : undefined;
}

function changePart(
  state: WorkflowState,
  visit: Visit,
  place: number,
  change: Partial<RolePart>,
): WorkflowState {
  const parts = visit.parts.map((part, at) => (at === place ? { ...part, ...change } : part));
  return { ...state, stage: { kind: 'step', visit: { ...visit, parts } } };
}

function endPart(
  state: WorkflowState,
  visit: Visit,
  place: number,
  change: Partial<RolePart>,
): WorkflowState {
  const ended = changePart(state, visit, place, { ...change, phase: 'ended' });
  const step = stepOf(state, visit.step);
  const now = visitOf(ended);
  const part = now?.parts[place];
  if (now === undefined || part === undefined) return ended;
  if (step?.kind === 'role') {
    const verdict = judgePart(state, part);
    const isCounted = verdict.kind === 'failed' || part.isCounted;
    if (isCounted) return { ...ended, stage: { kind: 'breaker', visit: now, repeats: 0 } };
    return afterRole(ended, step, now, part, false);
  }
  if (step?.kind !== 'review') return ended;
  const verdict = judgePart(state, part);
  const mayTryAgain = verdict.kind === 'failed' && verdict.action !== 'escalate';
  if (mayTryAgain && part.tries < REVIEWER_TRIES_MAX) {
    const { role, tries, repeats } = part;
    const again = { ...NEW_PART, role, tries: tries + 1, repeats: repeats + 1 };
    return changePart(ended, now, place, again);
  }
  const isOver = now.parts.every(({ phase }) => phase === 'ended');
  return isOver ? afterReview(ended, step, now) : ended;
}

/** The breaker has counted how the visit ended, so it is decided on. A breaker that cannot count asks a person. */
function afterBreaker(
  state: WorkflowState,
  { visit, repeats }: Extract<WorkflowState['stage'], { kind: 'breaker' }>,
  end: CommandEnd<'update-breaker'>,
): WorkflowState {
  if (end.kind === 'interrupted') {
    const times = repeats + 1;
    if (times <= state.settings.interruptionsMax)
      return { ...state, stage: { kind: 'breaker', visit, repeats: times } };
    const reason = `update-breaker of step ${visit.step} was interrupted ${times} times because the owner process died`;
    return endWorkflow(state, 'exhausted', reason);
  }
  const step = stepOf(state, visit.step);
  const [part] = visit.parts;
  if (step?.kind !== 'role' || part === undefined) return state;
  const isOpen = end.kind === 'defect' || end.result.state !== 'closed';
  return afterRole({ ...state, stage: { kind: 'step', visit } }, step, visit, part, isOpen);
}

/** The step has failed too often, in this run or in others. It is not started, and that is no failure of it. */
function breakerIsOpen(state: WorkflowState, visit: Visit, why: string): WorkflowState {
  const step = stepOf(state, visit.step);
  if (step === undefined) return state;
  if (!step.required && step.retry.whenUsedUp !== 'ask') return skipStep(state, step, why);
  const { feedback, level, recheck } = visit;
  const again = { step: step.id, feedback, level, isForced: true } as const;
  const back = recheck === undefined ? again : { ...again, recheck };
  return askAboutTrouble(state, step, { why, back, accepts: false });
}

/** A crash of the owner counts against no step, but it is not repeated for ever. */
function afterInterruption(
  state: WorkflowState,
  visit: Visit,
  { command, part: place }: OpenCommand,
): WorkflowState {
  const part = visit.parts[place];
  const times = (part?.interruptions ?? visit.interruptions) + 1;
  if (times > state.settings.interruptionsMax) {
    const reason = `${command} of step ${visit.step} was interrupted ${times} times because the owner process died`;
    return endWorkflow(state, 'exhausted', reason);
  }
  // Gates that ran side by side were interrupted together, which counts once.
  if (part === undefined && hasOpenGate(state)) return state;
  if (part === undefined)
    return { ...state, stage: { kind: 'step', visit: { ...visit, interruptions: times } } };
  return changePart(state, visit, place, { repeats: part.repeats + 1, interruptions: times });
}

function hasOpenGate({ open }: WorkflowState): boolean {
  return open.some(({ command }) => command === 'gate');
}

/** Gates that run side by side are decided on in their order, when all of them have ended. */
function gateEnded(
  state: WorkflowState,
  visit: Visit,
  place: number,
  end: Exclude<CommandEnd<'gate'>, { kind: 'interrupted' }>,
): WorkflowState {
  const step = stepOf(state, visit.step);
  if (step?.kind !== 'gate' && step?.kind !== 'command' && step?.kind !== 'commit') return state;
  const name = gatesOf(step)[place]?.name ?? 'gate';
  const outcome: GateOutcome =
    end.kind === 'done'
      ? end.result
      : { kind: 'unable', name, why: `internal error in Supervisor: ${end.message}` };
  const ended = [...(visit.aside ?? []), { place, outcome }];
  if (hasOpenGate(state))
    return { ...state, stage: { kind: 'step', visit: { ...visit, aside: ended } } };
  const { aside: _, ...rest } = visit;
  return afterGates(state, step, { ...rest, interruptions: 0 }, ended);
}

function placeOfGate(state: WorkflowState, visit: Visit, key: string): number {
  const step = stepOf(state, visit.step);
  const gates = step === undefined ? [] : gatesOf(step);
  return Math.max(
    0,
    gates.findIndex((_, place) => gateKey(visit, place) === key),
  );
}

function commitEnded(
  state: WorkflowState,
  visit: Visit,
  end: Exclude<CommandEnd<'commit-work'>, { kind: 'interrupted' }>,
): WorkflowState {
  const step = stepOf(state, visit.step);
  if (step === undefined) return state;
  if (end.kind === 'done' && end.result.kind === 'committed') {
    const committed = end.result;
    const said = { answer: committed, summary: state.summary };
    const outputs = addOutputs(state.outputs, step.id, step.outputs, said);
    return goForward({ ...state, committed, outputs }, step);
  }
  const why =
    end.kind === 'defect'
      ? `internal error in Supervisor: ${end.message}`
      : end.result.kind === 'refused'
        ? `${end.result.why} The work is on ${end.result.ref}`
        : '';
  return askAboutTrouble(state, step, { why, back: plan(step.id), accepts: false });
}

function afterAsk(
  state: WorkflowState,
  { question }: Extract<WorkflowState['stage'], { kind: 'ask' }>,
  end: CommandEnd<'ask'>,
): WorkflowState {
  if (end.kind === 'done' && 'answer' in end.result)
    return afterAnswer(state, question, end.result);
  if (end.kind === 'done' && 'timedOut' in end.result) return afterTimeout(state, question);
  return askAgain(state, question);
}

/** The wait of a run that was forked begins again in the fork. */
function afterWait(
  state: WorkflowState,
  stage: Extract<WorkflowState['stage'], { kind: 'wait' }>,
  end: CommandEnd<'wait'>,
): WorkflowState {
  if (end.kind === 'done' && end.result.cancelled !== true) return enterStep(state, stage.planned);
  const number = state.counts.wait + 1;
  return { ...state, counts: { ...state.counts, wait: number }, stage: { ...stage, number } };
}
