/** The state of the attempt loop: what its facts come to, and what a decision reads of it. */
import type { AttemptsSubmission } from '../protocol/event.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { ChainSettings } from './chain.ts';
import { buildChain } from './chain.ts';
import type { AttemptRecord, ChainEntry, History, PastAttempt } from './attempt-records.ts';
import { agentIdentity } from './identity.ts';
import type { SetupStage } from './setup-stage.ts';
import { BEFORE_SETUP } from './setup-stage.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';
import type { Availability, Command } from '../protocol/commands.ts';

export type OpenAttemptCommand = {
  readonly key: string;
  readonly command: Command;
  /** The user said `next` while it was open. What begins later is not meant by that. */
  readonly isPassed?: true;
};

export type AttemptsState = {
  readonly task: string;
  readonly project: string;
  readonly settings: AttemptSettings;
  /** The order of this run, once somebody has looked around. */
  readonly order: readonly string[] | null;
  /** How many commands of each kind have begun. */
  readonly counts: Readonly<
    Record<'attempt' | 'survey' | 'cool' | 'wait' | 'ask' | 'gate' | 'finalize', number>
  >;
  readonly open: OpenAttemptCommand | null;
  /** The attempt that goes on, or that was lost. */
  readonly attempt: AttemptRecord | null;
  readonly past: readonly PastAttempt[];
  readonly lost: number;
  /** How many gates were green for the last attempt, or red and only warned of it. */
  readonly green: number;
  /** How often the gate that is next was lost with its owner. */
  readonly gateLost: number;
  readonly survey: Availability | null;
  /** Whether the wait before the next attempt is over. */
  readonly waited: boolean;
  readonly bypass: boolean;
  readonly restingSince: number | null;
  readonly answer: string | null;
  readonly passed: readonly string[];
  /** How the run ends, once that is decided and what is left to do has begun. */
  readonly closing: RunOutcome | null;
  /** Whether that was done, or can't be. */
  readonly finalized: boolean;
  /** The strongest stop that a user has asked for. Nothing begins after it. */
  readonly stop: 'stop' | 'kill' | null;
  readonly setup: SetupStage;
};

/** What is known of an attempt when it begins: nothing yet, whatever the one before it had met. */
export const NEW_ATTEMPT = {
  green: 0,
  gateLost: 0,
  survey: null,
  waited: false,
  bypass: false,
  restingSince: null,
  answer: null,
} as const;

export function startState({ task, project, settings }: AttemptsSubmission): AttemptsState {
  return {
    task,
    project,
    settings,
    order: null,
    counts: { attempt: 0, survey: 0, cool: 0, wait: 0, ask: 0, gate: 0, finalize: 0 },
    open: null,
    attempt: null,
    past: [],
    lost: 0,
    ...NEW_ATTEMPT,
    passed: [],
    closing: null,
    finalized: false,
    stop: null,
    setup: BEFORE_SETUP,
  };
}

/** All that the run may use. */
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

export function attemptHistory(state: AttemptsState): History {
  const { settings, past, counts, lost, passed, answer, restingSince, bypass } = state;
  return {
    ...{ past, lost, passed, answer, restingSince, bypass },
    chain: chainEntries(state),
    begun: counts.attempt,
    lostMax: settings.lostMax,
    lostAttempt: state.attempt,
    gates: settings.gates?.length ?? 0,
    proofs: settings.gates?.filter(({ warns }) => warns !== true).length ?? 0,
    green: state.green,
    once: settings.once === true,
    ignoreCooldown: settings.ignoreCooldown === true,
  };
}
