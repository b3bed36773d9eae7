/** What should be going on in the state of a long-lived agent. */
import { capacityLimits } from '../attempts/capacity.ts';
import { agentIdentity } from '../attempts/identity.ts';
import type { SetupCommand } from '../attempts/setup-stage.ts';
import { nextSetupMove } from '../attempts/setup-stage.ts';
import type { CoolInput } from '../attempts/availability.ts';
import { at } from '../base/clock.ts';
import { commandKey } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import type { LimitRequest } from '../engine/limits.ts';
import type { Move } from '../engine/program.ts';
import { COOLDOWN_REASON_MAX } from '../protocol/event.ts';
import { defaultSettings } from '../settings/settings.ts';
import type { AgentProgramState, OpenAgentStep, Phase } from './agent-state.ts';
import { commandCount, isAgentAlive, mainStep, ISSUE_KEY } from './agent-state.ts';
import type { PutInput, TakeInput } from './work-queue.ts';
import { availabilityInput } from './agent-cooldown.ts';
import type { MessageInput } from './send-message.ts';
import { turnAgent, turnInput } from './turn-input.ts';
import { nextCheck } from './verify.ts';

/** What an agent that is over still has to do is not called off. */
const STAYS: readonly string[] = ['finalize', 'put', 'spread'];

export function nextAgentMoves(state: AgentProgramState): readonly Move[] {
  if (state.closing !== null) return closing(state);
  const beside = [...letters(state), ...forOthers(state), ...matters(state)];
  const step = mainStep(state);
  if (step !== undefined) return [...beside, ...calledOff(state, step)];
  return [...beside, isAgentAlive(state) ? main(state) : { kind: 'stand' }];
}

/** What has to be done before its first turn. */
export function setupRequest({
  settings,
  project,
  kills,
  closing,
}: AgentProgramState): SetupCommand {
  const { setup = null, sandbox = defaultSettings.sandbox, unsafe, lostMax, agent } = settings;
  const isBare = unsafe === true || agent.cli === 'scripted';
  const input = setup === null ? null : { ...setup, project, sandbox, isBare };
  const stop = closing === null ? null : kills ? 'kill' : 'stop';
  return { input, lostMax, stop, limits: capacityLimits(settings.capacity, project) };
}

function main(state: AgentProgramState): Move {
  const { phase, project, setup } = state;
  switch (phase.kind) {
    case 'turn': {
      const before = nextSetupMove(setup, setupRequest(state));
      const [first] = before.kind === 'moves' ? before.moves : [];
      if (first !== undefined) return first;
      if (!state.looked) return perform(state, 'survey', availabilityInput(state));
      const input = turnInput(state);
      const { capacity } = state.settings;
      return perform(state, 'attempt', input, capacityLimits(capacity, project, input.agent));
    }
    case 'verify': {
      const check = nextCheck(state, phase);
      return check === undefined ? { kind: 'stand' } : perform(state, 'gate', check);
    }
    case 'rest':
      return phase.cools ? cools(state, phase) : rests(state, phase);
    case 'ask': {
      const { question, choices } = phase;
      const key = commandKey(`ask-${commandCount(state, 'ask') + 1}`);
      return { kind: 'ask', key, question, ...(choices === null ? {} : { choices }) };
    }
    case 'wakeup':
      return { kind: 'stand' };
    case 'done':
      return whenDone(state, phase);
  }
}

function whenDone(state: AgentProgramState, { step }: Extract<Phase, { kind: 'done' }>): Move {
  const { queue } = state.life;
  if (queue === null || step === 'stand') return { kind: 'stand' };
  if (step === 'put') return putsAway(state, 'done') ?? { kind: 'stand' };
  const input: TakeInput = { dir: queue.dir, waits: queue.onEmpty === 'idle' };
  return perform(state, 'take', input);
}

function putsAway(state: AgentProgramState, to: PutInput['to']): Move | undefined {
  const { item, life, hasUnseen } = state;
  const isMissed = to === 'back' && hasUnseen;
  if ((item === null && !isMissed) || life.queue === null) return undefined;
  const input: PutInput = { dir: life.queue.dir, name: item?.name ?? null, to };
  return perform(state, 'put', input);
}

/** Written into the book before anything else, for every run to see. */
function cools(
  state: AgentProgramState,
  { until, reason }: Extract<Phase, { kind: 'rest' }>,
): Move {
  const agent = turnAgent(state);
  const input: CoolInput = {
    agent: agent.id,
    identity: agentIdentity(agent),
    until: new Date(until).toISOString(),
    reason: reason.slice(0, COOLDOWN_REASON_MAX),
  };
  return perform(state, 'cool', input);
}

function rests(
  state: AgentProgramState,
  { until, reason }: Extract<Phase, { kind: 'rest' }>,
): Move {
  const key = commandKey(`cooling-${commandCount(state, 'wait') + 1}`);
  return { kind: 'wait', key, until: at(until), why: reason };
}

/** Called off is what somebody leaves, and looking into a queue once somebody has written. */
function calledOff(state: AgentProgramState, step: OpenAgentStep): readonly Move[] {
  const isHeard = step.command === 'take' && state.inbox.length > 0;
  const isLeft = state.leaving !== null && step.command !== 'setup' && step.command !== 'put';
  return isHeard || isLeft ? [cancel(step, 'ask')] : [];
}

function letters(state: AgentProgramState): readonly Move[] {
  const [letter] = state.outbox;
  if (letter === undefined || state.open.some(({ command }) => command === 'tell')) return [];
  const { name, parent } = state.life;
  const input: MessageInput = { to: letter.to, parent, from: name, text: letter.text };
  return [perform(state, 'tell', input)];
}

/** One after the other, until it is known that all were told. */
function forOthers(state: AgentProgramState): readonly Move[] {
  const [first] = state.forAll;
  if (first === undefined || state.open.some(({ command }) => command === 'spread')) return [];
  return [perform(state, 'spread', first)];
}

/** Each is asked once; one that has settled itself is taken back. */
function matters(state: AgentProgramState): readonly Move[] {
  const asked = state.matters.map(({ number, question, choices }): Move => ({
    kind: 'ask',
    key: commandKey(`${ISSUE_KEY}${number}`),
    question,
    choices,
  }));
  const gone = state.open.filter(
    (one) =>
      one.key.startsWith(ISSUE_KEY) &&
      !state.matters.some(({ number }) => one.key === `${ISSUE_KEY}${number}`),
  );
  return [...asked, ...gone.map((one) => cancel(one, 'ask'))];
}

/** What goes on is called off; then others hear what was decided, what it took is given back, its letters are sent, and its work is kept. */
function closing(state: AgentProgramState): readonly Move[] {
  const { closing: outcome, open, kills, finalized, project, tree } = state;
  if (outcome === null) return [];
  if (open.length > 0) {
    const stays = ({ command }: OpenAgentStep): boolean =>
      STAYS.includes(command) || (command === 'tell' && !kills);
    return open.filter((one) => !stays(one)).map((one) => cancel(one, kills ? 'kill' : 'ask'));
  }
  const [letter] = kills ? [] : letters(state);
  const [decided] = forOthers(state);
  const back = decided ?? putsAway(state, 'back') ?? letter;
  if (back !== undefined) return [back];
  const attempt = commandCount(state, 'attempt');
  if (finalized || attempt === 0) return [{ kind: 'finish', outcome }];
  return [perform(state, 'finalize', { project, attempt, tree, outcome })];
}

function cancel({ key }: OpenAgentStep, how: 'ask' | 'kill'): Move {
  return { kind: 'cancel', key: commandKey(key), how };
}

function perform(
  state: AgentProgramState,
  command: string,
  input: object,
  limits: readonly LimitRequest[] = [],
): Move {
  const key = commandKey(`${command}-${commandCount(state, command) + 1}`);
  return { kind: 'perform', key, command, input: input as Record<string, Json>, limits };
}
