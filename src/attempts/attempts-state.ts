/** The state of the attempt loop, folded from its events, and the agents that the run may use. */
import type { AskedAtResume, AttemptsSubmission } from '../protocol/run-submission.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { ChainSettings } from './choice/chain.ts';
import { buildChain } from './choice/chain.ts';
import type { AttemptRecord, PastAttempt } from './past-attempt.ts';
import { agentIdentity } from './choice/identity.ts';
import type { BaselineStage } from './gates/baseline-stage.ts';
import { BEFORE_BASELINE } from './gates/baseline-stage.ts';
import type { MessagesState } from '../protocol/views/message-view.ts';
import type { SetupStage } from './gates/setup-stage.ts';
import { BEFORE_SETUP } from './gates/setup-stage.ts';
import type { TakeoverState } from './takeover-state.ts';
import { takenFromStart } from './takeover-state.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';
import type { Availability, Command, CommandEnd } from '../protocol/commands.ts';

export type ChainEntry = { readonly id: string; readonly identity: string };

export type OpenAttemptCommand = {
  readonly key: string;
  readonly command: Command;
  /** For a question: the run lacks a key. */
  readonly about?: 'keys';
  /** For a wait for a limit: when it began, and when the limit is to end. */
  readonly limit?: { readonly from: number; readonly until: number };
  /** The user sent `next` while this command was open. Later commands are not affected. */
  readonly isSkipped?: true;
};

export type AttemptsState = {
  readonly task: string;
  readonly project: string;
  readonly settings: AttemptSettings;
  /** The order of the agents in this run. Null until the first availability check. */
  readonly order: readonly string[] | null;
  /** How many commands of each kind have begun. */
  readonly counts: Readonly<
    Record<
      'attempt' | 'check-availability' | 'set-cooldown' | 'wait' | 'ask' | 'gate' | 'finalize',
      number
    >
  >;
  /** The number of the attempt that began last. 0: none has begun. */
  readonly lastNumber: number;
  /** The highest number of an attempt, also of one that the run does not continue. The next one has the number after it. */
  readonly highestNumber: number;
  readonly open: OpenAttemptCommand | null;
  /** The attempt that is running or was interrupted. */
  readonly attempt: AttemptRecord | null;
  readonly past: readonly PastAttempt[];
  /** How many attempts there were when a person resumed the run. Absent: none. */
  readonly resumedAfter?: number;
  /** How many commands were interrupted because the owner ended. */
  readonly interruptions: number;
  /** How many gates of the last attempt were green, or were red and only warn. */
  readonly green: number;
  /** Gates of the last attempt that were red and did not stop it. Absent: none. */
  readonly passedOver?: readonly PassedOverGate[];
  /** The keys of the gates that run now. Absent: none. */
  readonly openGates?: readonly string[];
  /** Results of gates that ran beside the next one, which has no result yet. Absent: none. */
  readonly aside?: readonly GateAside[];
  /** How often the next gate was interrupted because the owner ended. */
  readonly gateInterruptions: number;
  /** Null: availability was not checked since the last attempt. */
  readonly availability: Availability | null;
  /** Whether the wait before the next attempt is over. */
  readonly waited: boolean;
  /** The user has ended the wait for a limit with `retry-now`. */
  readonly skipsCooldown: boolean;
  /** The run has waited until an agent is free again, since its last attempt. */
  readonly hasCooled: boolean;
  /** How long it has waited for limits since then. The time after the end of a limit is no such wait. */
  readonly limitWaitMs: number;
  /** The answer of a person to the last question. */
  readonly answer: string | null;
  /** The last attempt before a person resumed the run with a message, from which retries are counted again. Absent: none. */
  readonly instructedAfter?: number;
  /** What a person asked for when they resumed the run, until an attempt begins. */
  readonly asked: AskedAtResume | null;
  /** Identities that the user skipped with `next`. */
  readonly skippedIdentities: readonly string[];
  /** Agents that lacked a key when they were to start, since a person last answered. */
  readonly keyless: readonly KeylessAgent[];
  /** How many attempts did not start for that reason. They do not count as attempts. */
  readonly keylessStarts: number;
  /** A person says that the key is there, or that the login is renewed. */
  readonly keysAnswered: boolean;
  /** A person stops the run instead of giving it the key. */
  readonly keysRefused: boolean;
  /** The state that the last attempt replaced when it began. It holds again if the attempt lacked a key. */
  readonly replaced: ReplacedState | null;
  /** The outcome of the run, once it is decided and finalizing has started. */
  readonly closing: RunOutcome | null;
  /** Whether finalizing is over, or was tried too often. */
  readonly finalized: boolean;
  /** The strongest stop that a user has asked for. Nothing begins after it. */
  readonly stop: 'stop' | 'kill' | null;
  /** A person takes its agent over, or has done so. Absent: not yet. */
  readonly takeover?: TakeoverState;
  /** Messages to its agents. Absent: there are none. */
  readonly messages?: MessagesState;
  readonly setup: SetupStage;
  readonly baseline: BaselineStage;
};

/** The end of a gate, with its place among the gates of the run. */
type GateAside = {
  readonly place: number;
  readonly end: Exclude<CommandEnd<'gate'>, { kind: 'interrupted' }>;
};

/** A gate that is red and only warns, that was skipped, or whose result a person accepted. */
export type PassedOverGate = {
  readonly place: number;
  readonly isAccepted: boolean;
  /** The end of its output, which a skipped gate shows. */
  readonly output: string;
};

type KeylessAgent = {
  readonly agent: string;
  readonly identity: string;
  /** What it lacks, and what a person can do about it. */
  readonly why: string;
};

type ReplacedState = Pick<
  AttemptsState,
  'attempt' | 'waited' | 'skipsCooldown' | 'hasCooled' | 'limitWaitMs' | 'answer' | 'asked'
>;

/** The fields that each new attempt resets. */
export const NEW_ATTEMPT = {
  green: 0,
  passedOver: [],
  openGates: [],
  aside: [],
  gateInterruptions: 0,
  availability: null,
  waited: false,
  skipsCooldown: false,
  hasCooled: false,
  limitWaitMs: 0,
  answer: null,
  asked: null,
  keysAnswered: false,
} as const;

export function startState({ task, project, settings }: AttemptsSubmission): AttemptsState {
  return {
    task,
    project,
    settings,
    order: null,
    counts: {
      attempt: 0,
      'check-availability': 0,
      'set-cooldown': 0,
      wait: 0,
      ask: 0,
      gate: 0,
      finalize: 0,
    },
    lastNumber: 0,
    highestNumber: 0,
    open: null,
    attempt: null,
    past: [],
    interruptions: 0,
    ...NEW_ATTEMPT,
    skippedIdentities: [],
    keyless: [],
    keylessStarts: 0,
    keysRefused: false,
    replaced: null,
    closing: null,
    finalized: false,
    stop: null,
    ...takenFromStart(settings),
    setup: BEFORE_SETUP,
    baseline: BEFORE_BASELINE,
  };
}

/** All agents that the run may use. */
export function chainSettings({ settings }: Pick<AttemptsState, 'settings'>): ChainSettings {
  const { agent, chain = [agent], order = 'as-listed', fallbacks = {} } = settings;
  return { agents: chain, order, fallbacks };
}

export function chainEntries(state: AttemptsState): readonly ChainEntry[] {
  const { agents } = chainSettings(state);
  const order = state.order ?? buildChain(chainSettings(state), null);
  return order.flatMap((id) => {
    const agent = agents.find((one) => one.id === id);
    return agent === undefined ? [] : [{ id, identity: agentIdentity(agent) }];
  });
}

/** The last attempt, if it has ended. Undefined: none has begun, or the last one was interrupted. */
export function lastAttempt({ attempt, past }: AttemptsState): PastAttempt | undefined {
  return attempt === null ? past.at(-1) : undefined;
}

/** Whether every gate has passed for the last attempt, only warns, or was accepted. */
export function allGatesPassed({ settings, green }: AttemptsState): boolean {
  return green === (settings.gates?.length ?? 0);
}

/** Whether every gate that counts was green. A gate that a person accepted was not. */
export function isProven({ settings, passedOver = [] }: AttemptsState): boolean {
  if (passedOver.some(({ isAccepted }) => isAccepted)) return false;
  return settings.gates?.some(({ warns }) => warns !== true) === true;
}

/** The past attempts, with this change of the last one. */
export function updateLast(
  { past }: AttemptsState,
  update: Partial<Pick<PastAttempt, 'isCooldownStored' | 'redGate'>>,
): readonly PastAttempt[] {
  return past.map((one, place) => (place === past.length - 1 ? { ...one, ...update } : one));
}
