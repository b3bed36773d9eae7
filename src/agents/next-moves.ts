/** Decides the next moves of a long-lived agent from its state. */
import { worksInProject } from '../attempts/choice/works-in-project.ts';
import { capacityLimits } from '../attempts/choice/capacity.ts';
import { agentIdentity } from '../attempts/choice/identity.ts';
import type { SetupCommand } from '../attempts/gates/setup-stage.ts';
import { nextSetupMove } from '../attempts/gates/setup-stage.ts';
import { at } from '../base/clock.ts';
import { commandKey } from '../base/ids.ts';
import type { LimitRequest } from '../engine/limits.ts';
import type { Move, PerformMove } from '../engine/program.ts';
import { COOLDOWN_REASON_MAX } from '../protocol/event.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { AgentProgramState, OpenAgentStep, Phase } from './agent-state.ts';
import { commandCount, isAgentAlive, mainStep } from './agent-state.ts';
import { availabilityInput } from './agent-cooldown.ts';
import { turnAgent, turnInput } from './turn-input.ts';
import { nextCheck } from './verify.ts';
import type {
  CooldownInput,
  ReleaseItemInput,
  ClaimItemInput,
  MessageInput,
  Input,
  PerformedCommand,
} from '../protocol/commands.ts';

/** Steps that an ending agent still completes. */
const COMPLETED_AT_END: readonly string[] = ['finalize', 'release-item', 'broadcast'];

export function nextAgentMoves(state: AgentProgramState): readonly Move[] {
  const { outcome } = state.ending;
  if (outcome !== null) return endMoves(state, outcome);
  const sideMoves = [...messageMoves(state), ...broadcastMoves(state), ...issueMoves(state)];
  const step = mainStep(state);
  if (step !== undefined) return [...sideMoves, ...cancelMoves(state, step)];
  return [...sideMoves, isAgentAlive(state) ? mainMove(state) : { kind: 'park' }];
}

/** The setup that runs before the first turn. */
export function setupRequest({ pinned, ending }: AgentProgramState): SetupCommand {
  const { project } = pinned;
  const { setup, sandbox, unsafe, interruptionsMax, agent, capacity } = pinned.attempt;
  const place = { worksInProject: worksInProject(agent, unsafe) };
  const input = setup === null ? null : { ...setup, project, sandbox, ...place };
  const stop = ending.outcome === null ? null : ending.killRequested ? 'kill' : 'stop';
  return { input, interruptionsMax, stop, limits: capacityLimits(capacity, project) };
}

function mainMove(state: AgentProgramState): Move {
  const { phase, pinned, setup } = state;
  switch (phase.kind) {
    case 'turn': {
      const setupMove = nextSetupMove(setup, setupRequest(state));
      const [first] = setupMove.kind === 'moves' ? setupMove.moves : [];
      if (first !== undefined) return first;
      if (!state.turn.availabilityChecked)
        return perform(state, 'check-availability', availabilityInput(state));
      const input = turnInput(state);
      const { attempt, project } = pinned;
      return perform(
        state,
        'attempt',
        input,
        capacityLimits(attempt.capacity, project, input.agent),
      );
    }
    case 'verify': {
      const check = nextCheck(state, phase);
      return check === undefined ? { kind: 'park' } : perform(state, 'gate', check);
    }
    case 'cooldown':
      return phase.mustRecord ? recordCooldown(state, phase) : waitForReset(state, phase);
    case 'ask': {
      const { question, choices, about } = phase;
      const key = commandKey(`ask-${commandCount(state, 'ask') + 1}`);
      const more = { ...(choices !== null && { choices }), ...(about === 'keys' && { about }) };
      return { kind: 'ask', key, question, ...more };
    }
    case 'wakeup':
      return { kind: 'park' };
    case 'done':
      return doneMove(state, phase);
  }
}

function doneMove(state: AgentProgramState, { step }: Extract<Phase, { kind: 'done' }>): Move {
  const { queue } = state.pinned.agent;
  if (queue === null || step === 'idle') return { kind: 'park' };
  if (step === 'release-item') return releaseItem(state, 'done') ?? { kind: 'park' };
  const input: ClaimItemInput = { dir: queue.dir, waits: queue.onEmpty === 'idle' };
  return perform(state, 'claim-item', input);
}

function releaseItem(state: AgentProgramState, to: ReleaseItemInput['to']): Move | undefined {
  const { item, hasUnseen } = state.work;
  const { queue } = state.pinned.agent;
  const mayHoldUnseen = to === 'queue' && hasUnseen;
  if ((item === null && !mayHoldUnseen) || queue === null) return undefined;
  const input: ReleaseItemInput = { dir: queue.dir, name: item?.name ?? null, to };
  return perform(state, 'release-item', input);
}

/** The cooldown is recorded before the wait, so that all runs see it. */
function recordCooldown(
  state: AgentProgramState,
  { until, reason }: Extract<Phase, { kind: 'cooldown' }>,
): Move {
  const agent = turnAgent(state);
  const input: CooldownInput = {
    agent: agent.id,
    identity: agentIdentity(agent),
    until: new Date(until).toISOString(),
    reason: reason.slice(0, COOLDOWN_REASON_MAX),
  };
  return perform(state, 'set-cooldown', input);
}

function waitForReset(
  state: AgentProgramState,
  { until, reason }: Extract<Phase, { kind: 'cooldown' }>,
): Move {
  const key = commandKey(`wait-${commandCount(state, 'wait') + 1}`);
  return { kind: 'wait', key, until: at(until), reason: 'cooldown', why: reason };
}

/** Cancels the step if the agent leaves it, and a claim from the queue if a message has arrived. */
function cancelMoves(state: AgentProgramState, step: OpenAgentStep): readonly Move[] {
  const hasMessage = step.command === 'claim-item' && state.mailbox.inbox.length > 0;
  const leavesStep =
    state.leaving !== null && step.command !== 'setup' && step.command !== 'release-item';
  return hasMessage || leavesStep ? [cancel(step, 'ask')] : [];
}

function messageMoves(state: AgentProgramState): readonly Move[] {
  const [first] = state.mailbox.outgoing;
  if (first === undefined || state.open.some(({ command }) => command === 'send-message'))
    return [];
  const { name, parent } = state.pinned.agent;
  const input: MessageInput = { to: first.to, parent, from: name, text: first.text };
  return [perform(state, 'send-message', input)];
}

/** One broadcast after the other: the next starts when the first has reached all members. */
function broadcastMoves(state: AgentProgramState): readonly Move[] {
  const [first] = state.issues.broadcasts;
  if (first === undefined || state.open.some(({ command }) => command === 'broadcast')) return [];
  return [perform(state, 'broadcast', first)];
}

/** Each open issue is asked once. The question of a settled issue is withdrawn. */
function issueMoves({ issues, open }: AgentProgramState): readonly Move[] {
  const asked = issues.open.map(({ number, question, choices }): Move => ({
    kind: 'ask',
    key: commandKey(`issue-${number}`),
    question,
    issue: number,
    choices,
  }));
  const settled = open.filter(
    ({ issue }) => issue !== undefined && !issues.open.some(({ number }) => number === issue),
  );
  return [...asked, ...settled.map((one) => cancel(one, 'ask'))];
}

/** Cancels what is running. Then: broadcasts, the claimed file, messages, the commit of the work, the end. */
function endMoves(state: AgentProgramState, outcome: RunOutcome): readonly Move[] {
  const { open, pinned } = state;
  const { killRequested, finalized } = state.ending;
  if (open.length > 0) {
    const isCompleted = ({ command }: OpenAgentStep): boolean =>
      COMPLETED_AT_END.includes(command) || (command === 'send-message' && !killRequested);
    return open
      .filter((one) => !isCompleted(one))
      .map((one) => cancel(one, killRequested ? 'kill' : 'ask'));
  }
  const [message] = killRequested ? [] : messageMoves(state);
  const [broadcast] = broadcastMoves(state);
  const last = broadcast ?? releaseItem(state, 'queue') ?? message;
  if (last !== undefined) return [last];
  const attempt = commandCount(state, 'attempt');
  if (finalized || attempt === 0) return [{ kind: 'finish', outcome }];
  const { project } = pinned;
  return [perform(state, 'finalize', { project, attempt, tree: state.turn.tree, outcome })];
}

function cancel({ key }: OpenAgentStep, how: 'ask' | 'kill'): Move {
  return { kind: 'cancel', key: commandKey(key), how };
}

function perform<Name extends PerformedCommand>(
  state: AgentProgramState,
  command: Name,
  input: Input<Name>,
  limits: readonly LimitRequest[] = [],
): PerformMove<Name> {
  const key = commandKey(`${command}-${commandCount(state, command) + 1}`);
  return { kind: 'perform', key, command, input, limits };
}
