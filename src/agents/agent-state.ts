/** The state of a long-lived agent: everything that its facts add up to. Its status is derived from it in `agent-status.ts`. */
import type { SetupStage } from '../attempts/gates/setup-stage.ts';
import { BEFORE_SETUP } from '../attempts/gates/setup-stage.ts';
import type { Escalations } from '../monitors/escalation.ts';
import { NO_ESCALATIONS } from '../monitors/escalation.ts';
import type { AgentSubmission } from '../protocol/run-submission.ts';

import { LongLivedSettings } from '../protocol/long-lived-agent.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { Exit } from '../supervision/index.ts';
import type { CommitmentCheck, Commitment } from './commitments.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';
import type { Broadcast, Command } from '../protocol/commands.ts';

/** A question that the agent can't continue without. */
export type AgentQuestion = {
  readonly question: string;
  /** Null: any text is an answer. */
  readonly choices: readonly string[] | null;
  readonly about: 'budget' | 'price' | 'input' | 'trouble' | 'gang' | 'limit' | 'keys';
  /** Text that the agent has not dealt with yet. */
  readonly news: string | null;
  /** Whether a restart by this question keeps or discards the work. */
  readonly onRestart: 'keep' | 'discard';
};

/** The current activity. It does not change while the agent is between two lives. */
export type Phase =
  /** A turn is due or is running. `news`: text for the agent beside its assignment. */
  | { readonly kind: 'turn'; readonly news: string | null }
  | {
      readonly kind: 'verify';
      readonly checks: readonly CommitmentCheck[];
      readonly interruptions: number;
    }
  /** A limit is the only obstacle. `mustRecord`: the cooldown has to be recorded first, for all runs. */
  | {
      readonly kind: 'cooldown';
      readonly until: number;
      readonly reason: string;
      readonly mustRecord: boolean;
      readonly news: string | null;
    }
  | ({ readonly kind: 'ask' } & AgentQuestion)
  /** The agent reported that it waits for a message. */
  | { readonly kind: 'wakeup' }
  | { readonly kind: 'done'; readonly step: 'release-item' | 'claim-item' | 'idle' };

/** The running step is cancelled, and then this follows. */
export type Leaving =
  | { readonly kind: 'exit'; readonly exit: Exit }
  | { readonly kind: 'phase'; readonly phase: Phase };

/** The turn that is running, or the last one. */
type AgentTurn = {
  readonly number: number;
  /** Whether it continued an earlier conversation. */
  readonly resumed: boolean;
  /** The conversation, once the agent has named it in this turn. */
  readonly session: string | null;
};

export type AgentMessage = { readonly from: string | null; readonly text: string };

/** One file of the agent's queue. `isNew`: no turn that received it has ended. */
type QueueItem = { readonly name: string; readonly text: string; readonly isNew: boolean };

/** A question to a person while the agent continues or is down. */
export type OpenIssue = {
  readonly number: number;
  readonly kind: string;
  readonly question: string;
  readonly choices: readonly string[];
};

/** A message to another agent that is not delivered yet. */
export type OutgoingMessage = {
  readonly to: 'parent' | 'root';
  readonly text: string;
  /** How often its delivery was interrupted because the owner died. */
  readonly interruptions: number;
};

export type OpenAgentStep = {
  readonly key: string;
  readonly command: Command;
  /** For a question about an issue: the number of the issue. */
  readonly issue?: number;
};

/** Why the run ends. */
export type EndCause = 'completed' | 'failed' | 'dismissed';

export type AgentProgramState = {
  /** Fixed by the submission. */
  readonly pinned: {
    readonly task: string;
    readonly project: string;
    readonly attempt: AttemptSettings;
    readonly agent: LongLivedSettings;
  };
  /** How many lives have started. */
  readonly lives: number;
  /** How the last life ended; null while one is running, or before the first. */
  readonly exit: Exit | null;
  /** The supervisor does not restart the agent any more. */
  readonly restartsExhausted: boolean;
  /** A person or a message asks for another life although the restarts are exhausted. */
  readonly restartRequested: boolean;
  readonly phase: Phase;
  readonly leaving: Leaving | null;
  /** Commands that have begun and not ended; `counts`: how many of each have begun. */
  readonly open: readonly OpenAgentStep[];
  readonly counts: Readonly<Partial<Record<Command, number>>>;
  readonly setup: SetupStage;
  readonly turn: {
    /** Null: there was none, or the next life does not continue it. */
    readonly last: AgentTurn | null;
    /** The conversation to continue; null: the next one is new. */
    readonly session: string | null;
    /** Why this life follows another, for the agent to read, until a turn that received it has ended. */
    readonly restartNotice: string | null;
    /** The owner died during the last turn. */
    readonly interrupted: boolean;
    /** The final message of the last turn that completed. */
    readonly summary: string | null;
    /** The number of the work tree: a discarded tree is followed by another. */
    readonly tree: number;
    /** The tree of the last turn; 0: there was none. */
    readonly workedIn: number;
    /** Null: the pinned model. */
    readonly model: string | null;
    /** No limit is in the way of the next turn: a check found none, or a person skipped the wait. */
    readonly availabilityChecked: boolean;
    readonly coolingSince: number | null;
  };
  readonly work: {
    /** The file that the agent has claimed from its queue. */
    readonly item: QueueItem | null;
    /** The owner died while it claimed a file, so one may be claimed that this state does not know. */
    readonly hasUnseen: boolean;
    readonly commitments: readonly Commitment[];
    /** The result of the last round of checks. */
    readonly verdict: 'succeeded' | 'unverified' | null;
  };
  readonly mailbox: {
    readonly inbox: readonly AgentMessage[];
    readonly outgoing: readonly OutgoingMessage[];
    /** How many notes the agent has written. */
    readonly notes: number;
  };
  readonly issues: {
    readonly open: readonly OpenIssue[];
    /** How many were ever put to a person. */
    readonly asked: number;
    readonly escalations: Escalations;
    /** Decisions of a person about the agent's gang that the other members have not received. */
    readonly broadcasts: readonly Broadcast[];
    /** The last decisions about its gang that the agent has received. */
    readonly seenBroadcasts: readonly string[];
  };
  /** How often each has happened in a row. */
  readonly streaks: {
    /** Turns that failed. */
    readonly failures: number;
    /** Turns without a claim. */
    readonly silent: number;
    /** Rounds of checks that failed. */
    readonly redRounds: number;
    /** Questions of the agent itself. */
    readonly questions: number;
    /** Turns that hit a limit. */
    readonly limits: number;
    /** Deaths of the owner during the same step. */
    readonly interruptions: number;
  };
  readonly ending: {
    /** How the run ends, once that is decided. No new work starts then. */
    readonly outcome: RunOutcome | null;
    readonly cause: EndCause | null;
    readonly killRequested: boolean;
    readonly finalized: boolean;
  };
};

type Group = 'turn' | 'work' | 'mailbox' | 'issues' | 'streaks' | 'ending';

/** Fields to replace; of a group, only the named fields are replaced. */
export type AgentStateChange = Partial<Omit<AgentProgramState, Group | 'pinned'>> & {
  readonly [Name in Group]?: Partial<AgentProgramState[Name]>;
};

export function update(state: AgentProgramState, change: AgentStateChange): AgentProgramState {
  return {
    ...state,
    ...change,
    turn: { ...state.turn, ...change.turn },
    work: { ...state.work, ...change.work },
    mailbox: { ...state.mailbox, ...change.mailbox },
    issues: { ...state.issues, ...change.issues },
    streaks: { ...state.streaks, ...change.streaks },
    ending: { ...state.ending, ...change.ending },
  };
}

export function startAgent({ task, project, settings }: AgentSubmission): AgentProgramState {
  const { longLived, ...attempt } = settings;
  const agent = LongLivedSettings.parse(longLived);
  const commitments = agent.commitments.map(
    (one) => ({ ...one, status: 'pending', failure: null }) as const,
  );
  return {
    pinned: { task, project, attempt, agent },
    lives: 0,
    exit: null,
    restartsExhausted: false,
    restartRequested: false,
    phase: { kind: 'turn', news: null },
    leaving: null,
    open: [],
    counts: {},
    setup: BEFORE_SETUP,
    turn: {
      last: null,
      session: null,
      restartNotice: null,
      interrupted: false,
      summary: null,
      tree: 1,
      workedIn: 0,
      model: null,
      availabilityChecked: false,
      coolingSince: null,
    },
    work: { item: null, hasUnseen: false, commitments, verdict: null },
    mailbox: { inbox: [], outgoing: [], notes: 0 },
    issues: { open: [], asked: 0, escalations: NO_ESCALATIONS, broadcasts: [], seenBroadcasts: [] },
    streaks: { failures: 0, silent: 0, redRounds: 0, questions: 0, limits: 0, interruptions: 0 },
    ending: { outcome: null, cause: null, killRequested: false, finalized: false },
  };
}

/** Whether a life is running. */
export function isAgentAlive({
  lives,
  exit,
  ending,
}: Pick<AgentProgramState, 'lives' | 'exit' | 'ending'>): boolean {
  return lives > 0 && exit === null && ending.outcome === null;
}

/** Whether the last life failed, or the restarts are exhausted. Work that is done is not undone by that. */
export function hasFailed({
  phase,
  exit,
  restartsExhausted,
}: Pick<AgentProgramState, 'phase' | 'exit' | 'restartsExhausted'>): boolean {
  return phase.kind !== 'done' && (exit?.kind === 'failed' || restartsExhausted);
}

/** The agent's own step: at most one at a time. Messages, issues and broadcasts run beside it. */
export function mainStep({ open }: Pick<AgentProgramState, 'open'>): OpenAgentStep | undefined {
  return open.find((one) => isMain(one));
}

function isMain({ command, issue }: OpenAgentStep): boolean {
  return command !== 'send-message' && command !== 'broadcast' && issue === undefined;
}

export function commandCount(
  { counts }: Pick<AgentProgramState, 'counts'>,
  command: Command,
): number {
  return counts[command] ?? 0;
}
