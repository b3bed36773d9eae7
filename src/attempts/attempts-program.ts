/**
 * The attempt loop as a pure reducer: it takes one task through a chain of agents to a proven end.
 * `fold-attempts.ts` folds the events and `decide.ts` decides. This file turns a decision into a move, and
 * starts nothing after a user's stop.
 */
import type { Instant } from '../base/clock.ts';
import { at } from '../base/clock.ts';
import type { CommandKey } from '../base/ids.ts';
import { commandKey } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import { truncate } from '../base/text.ts';
import type { Move, Program } from '../engine/program.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { REASON_MAX } from '../protocol/outcome.ts';
import { worksInProject } from './choice/works-in-project.ts';
import type { AttemptsState, OpenAttemptCommand } from './attempts-state.ts';
import {
  allGatesPassed,
  chainSettings,
  isProven,
  lastAttempt,
  startState,
} from './attempts-state.ts';
import { orderSettings } from './choice/chain.ts';
import { isAboutMoney } from '../failures/failure.ts';
import { capacityLimits } from './choice/capacity.ts';
import { decide } from './decide.ts';
import type { AttemptDecision } from './decision.ts';
import { foldState } from './fold-attempts.ts';
import { otherAgents } from './choice/agent-history.ts';
import { cooldownEnd } from './choice/find-cooldown.ts';
import { agentIdentity } from './choice/identity.ts';
import { continueAs, withMessage } from './continue-as.ts';
import { gateMoves, openCommands } from './gates/gate-moves.ts';
import { promptMessage, sentMessage, stopsTurn } from '../messages/choose-message.ts';
import { deliveryMoves, messagesOf, messageToContinueWith } from './run-messages.ts';
import { describeRetry } from './supervisor-log.ts';
import { handoffPrompt } from './handoff-prompt.ts';
import { endsForTakeover, isHeldByPerson, isTakenOver } from './taken-over.ts';
import type { SetupCommand } from './gates/setup-stage.ts';
import { nextSetupMove } from './gates/setup-stage.ts';
import type { BaselineCommand } from './gates/baseline-stage.ts';
import { nextBaselineMove } from './gates/baseline-stage.ts';
import type { CooldownInput, AvailabilityInput } from '../protocol/commands.ts';
import type { AttemptInput } from '../protocol/contracts/attempt-contract.ts';
import { ATTEMPTS_PROGRAM } from '../protocol/run-submission.ts';

const COOL_REASON_MAX = 200;

export const attemptsProgram: Program<AttemptsState & { readonly [key: string]: Json }> = {
  name: ATTEMPTS_PROGRAM,
  version: 5,

  start: startState,

  fork: continueAs,

  fold: foldState,

  next(state, now, random): readonly Move[] {
    const setup = nextSetupMove(state.setup, setupCommand(state));
    if (setup.kind === 'moves') return setup.moves;
    if (setup.kind === 'end') return [finalizeOrFinish(state, setup.outcome)];
    const baseline = nextBaselineMove(state.baseline, baselineCommand(state));
    if (baseline.kind === 'moves') return baseline.moves;
    if (baseline.kind === 'end') return [finish(baseline.outcome)];
    if (state.open !== null)
      return [
        ...openCommands(state, state.open).flatMap((open) => cancelOpen(state, open)),
        ...deliveryMoves(state),
      ];
    // It ends with the attempt, which has ended.
    if (messagesOf(state).delivery !== null) return [];
    if (state.closing !== null)
      return [finalizeOrFinish(state, stopOutcome(state) ?? state.closing)];
    const stopped = stopOutcome(state);
    if (stopped !== undefined) return [finalizeOrFinish(state, stopped)];
    // A command that is interrupted again and again is not repeated for ever.
    const mayContinue = state.interruptions <= state.settings.interruptionsMax;
    const cooldown = mayContinue ? storeCooldown(state) : undefined;
    if (cooldown !== undefined) return [cooldown];
    const isHeld = messageToContinueWith(state) !== undefined || isHeldByPerson(state);
    const gates = mayContinue && !isHeld ? gateMoves(state, preparedTree(state)) : [];
    return gates.length > 0 ? gates : [moveByDecision(state, now, random)];
  },
};

/** The setup before the first attempt. An agent that works in the project itself needs no setup. */
function setupCommand(state: AttemptsState): SetupCommand {
  const { settings, project, stop } = state;
  const { setup, sandbox, interruptionsMax } = settings;
  const worksInProject = workInProject(state);
  const input = setup === null ? null : { ...setup, project, sandbox, worksInProject };
  return { input, interruptionsMax, stop, limits: capacityLimits(settings.capacity, project) };
}

/** Every gate on the base, unless the user does not want it or an attempt has begun already. */
function baselineCommand(state: AttemptsState): BaselineCommand {
  const { settings, project, stop, counts } = state;
  const { sandbox, interruptionsMax, gates = [], baseline = false } = settings;
  const isWanted = baseline && counts.attempt === 0;
  const common = {
    project,
    sandbox,
    unsafe: settings.unsafe === true,
    worksInProject: workInProject(state),
    ...preparedTree(state),
  };
  const inputs = isWanted ? gates.map((gate) => ({ ...gate, ...common })) : [];
  return { inputs, interruptionsMax, stop, limits: capacityLimits(settings.capacity, project) };
}

function workInProject(state: AttemptsState): boolean {
  const { unsafe } = state.settings;
  return chainSettings(state).agents.every((agent) => worksInProject(agent, unsafe));
}

function cancelOpen(state: AttemptsState, open: OpenAttemptCommand): readonly Move[] {
  const { key, command, isSkipped } = open;
  const cancel = (how: 'ask' | 'kill'): readonly Move[] => [
    { kind: 'cancel', key: commandKey(key), how },
  ];
  // A stopped run still finalizes, because that stores its work.
  if (state.stop === 'stop' && command === 'finalize') return [];
  if (state.stop !== null) return cancel(state.stop === 'kill' ? 'kill' : 'ask');
  const isInterrupted = command === 'attempt' && stopsTurn(messagesOf(state));
  if (isInterrupted && !isTakenOver(state)) return cancel('ask');
  if (endsForTakeover(state, open)) return cancel('ask');
  if (isSkipped !== true) return [];
  const failure = state.past.at(-1)?.failure ?? null;
  // Another agent cannot answer a question about money.
  const isMoney = failure !== null && isAboutMoney(failure.reason);
  const ends = command === 'attempt' || command === 'wait' || (command === 'ask' && !isMoney);
  return ends ? cancel('ask') : [];
}

/**
 * If gates had proven the work before the stop arrived, the stop does not change the outcome. Work that nothing has
 * checked counts as stopped: an agent that is asked to exit may well say that it is done.
 */
function stopOutcome(state: AttemptsState): RunOutcome | undefined {
  const { stop, counts, keylessStarts, attempt, lastNumber } = state;
  if (stop === null) return undefined;
  const last = lastAttempt(state);
  const isChecked = isProven(state) && allGatesPassed(state) && last?.redGate === null;
  if (last?.kind === 'completed' && isChecked) return undefined;
  const hasBegun = counts.attempt > keylessStarts;
  const number = attempt?.number ?? last?.number ?? lastNumber;
  return {
    kind: stop === 'kill' ? 'killed' : 'cancelled',
    reason: hasBegun ? `stopped by the user during attempt ${number}` : 'stopped before it began',
  };
}

/** Writes a limit into the cooldown store before any other move, so every run sees it. */
function storeCooldown(state: AttemptsState): Move | undefined {
  const last = lastAttempt(state);
  if (last?.kind !== 'failed' || !last.failure.coolsDown || last.isCooldownStored !== null)
    return undefined;
  const input: CooldownInput = {
    agent: last.agent,
    identity: last.identity,
    until: new Date(cooldownEnd(state, last)).toISOString(),
    reason: last.failure.message.slice(0, COOL_REASON_MAX),
  };
  return { kind: 'perform', key: nextKey(state, 'set-cooldown'), command: 'set-cooldown', input };
}

function moveByDecision(state: AttemptsState, now: Instant, random: number): Move {
  const decision = decide(state, now, random);
  switch (decision.kind) {
    case 'check-availability':
      return checkAvailability(state);
    case 'wait-for-cooldown':
      return {
        kind: 'wait',
        key: nextKey(state, 'wait'),
        until: at(decision.until),
        reason: 'cooldown',
        why: `${decision.agent} is limited by its provider`,
        agent: decision.agent,
      };
    case 'ask':
      return { ...decision, key: nextKey(state, 'ask') };
    case 'end':
      return finalizeOrFinish(state, decision.outcome);
    case 'attempt':
      if (decision.waitMs > 0 && !state.waited)
        return {
          kind: 'wait',
          key: nextKey(state, 'wait'),
          until: at(now + decision.waitMs),
          reason: 'retry',
          why: describeRetry(decision.agent, decision.why) ?? 'before the next attempt',
          agent: decision.agent,
        };
      return attemptMove(state, decision, now);
  }
}

type AvailabilityMove = {
  readonly kind: 'perform';
  readonly key: CommandKey;
  readonly command: 'check-availability';
  readonly input: AvailabilityInput;
};

function checkAvailability(state: AttemptsState): AvailabilityMove {
  const { agents, ...order } = orderSettings(chainSettings(state));
  const { counts } = state;
  const selection = { ...order, isFirstCheck: counts['check-availability'] === 0 };
  const input: AvailabilityInput = {
    project: state.project,
    agents,
    ...(counts.attempt === 0 ? { selection } : {}),
  };
  return {
    kind: 'perform',
    key: nextKey(state, 'check-availability'),
    command: 'check-availability',
    input,
  };
}

/** In a conversation that continues for a message, the message is the whole prompt. */
function resumeWith(
  { why, message }: Extract<AttemptDecision, { kind: 'attempt' }>,
  task: string,
  told: string | undefined,
): string | null {
  if (why.kind === 'message') return '';
  return message === null ? task : withMessage(message, told);
}

function attemptMove(
  state: AttemptsState,
  decision: Extract<AttemptDecision, { kind: 'attempt' }>,
  now: Instant,
): Move {
  const { agent: id, why, session, message } = decision;
  const { settings, project, task } = state;
  const {
    chain: _,
    order: _order,
    fallbacks: _map,
    recovery: _policy,
    gates: _gates,
    baseline: _baseline,
    setup: _setup,
    capacity: _capacity,
    continues,
    ...pinned
  } = settings;
  const agent = chainSettings(state).agents.find((one) => one.id === id) ?? settings.agent;
  const number = state.highestNumber + 1;
  const last = lastAttempt(state);
  // In a resumed conversation, the message is the whole prompt.
  const told = state.asked?.message;
  const said = settings.brief === undefined ? message : withMessage(message, told);
  // A red gate has its own words, and a turn has one message at most. A person at the terminal gets none.
  const carriesNone = why.kind === 'gate' || why.kind === 'takeover';
  const carried = carriesNone ? undefined : promptMessage(messagesOf(state));
  const addition = session === null ? said : null;
  const alone = addition === null ? '' : `${addition}\n\n`;
  const preface = last === undefined ? alone : handoffPrompt(number, last, addition);
  const input: AttemptInput = {
    ...pinned,
    ...(continues === undefined
      ? {}
      : { continues: { run: continues.run, folderOf: continues.folderOf } }),
    agent,
    prompt: settings.brief === undefined ? `${preface}${task}` : preface,
    project,
    number,
    why,
    replaceable: otherAgents(state, agentIdentity(agent), now).length > 0,
    resume: session,
    resumePrompt: session === null ? null : resumeWith(decision, task, told),
    ...(carried === undefined ? {} : { message: sentMessage(carried) }),
    ...preparedTree(state),
  };
  return {
    kind: 'perform',
    key: commandKey(`attempt-${number}`),
    command: 'attempt',
    input,
    // A person waits at a terminal, and no other attempt of the run is under way.
    limits: why.kind === 'takeover' ? [] : capacityLimits(settings.capacity, project, agent),
    // The choice of the agent depends on it, and while the attempt waits for a slot, the agent may reach a limit.
    ...(state.availability === null ? {} : { recheck: checkAvailability(state) }),
  };
}

function preparedTree({ setup }: AttemptsState): { readonly setupKey?: string } {
  return setup.outcome?.kind === 'ready' ? { setupKey: setup.outcome.key } : {};
}

function nextKey(
  { counts }: AttemptsState,
  command: 'check-availability' | 'set-cooldown' | 'wait' | 'ask' | 'finalize',
): CommandKey {
  return commandKey(`${command}-${counts[command] + 1}`);
}

/** Finalizes the run before it ends: artifacts are copied, and work that is not stored yet is stored. */
function finalizeOrFinish(state: AttemptsState, outcome: RunOutcome): Move {
  const { lastNumber, finalized, project } = state;
  if (finalized || lastNumber === 0) return finish(outcome);
  return {
    kind: 'perform',
    key: nextKey(state, 'finalize'),
    command: 'finalize',
    input: { project, attempt: lastNumber, outcome: withShortReason(outcome) },
  };
}

function finish(outcome: RunOutcome): Move {
  return { kind: 'finish', outcome: withShortReason(outcome) };
}

/** The text of an agent has no maximum length, but the reason of an outcome has one. */
function withShortReason({ kind, reason }: RunOutcome): RunOutcome {
  const short = truncate(reason, REASON_MAX);
  return { kind, reason: short };
}
