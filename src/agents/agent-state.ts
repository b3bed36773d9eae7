/** The state of a long-lived agent: what its facts come to. */
import type { AttemptSettings } from '../attempts/attempt.ts';
import type { SetupStage } from '../attempts/setup-stage.ts';
import { BEFORE_SETUP } from '../attempts/setup-stage.ts';
import type { Escalations } from '../monitors/escalation.ts';
import { NO_ESCALATIONS } from '../monitors/escalation.ts';
import type { Submission } from '../protocol/event.ts';
import type { AgentState } from '../protocol/long-lived-agent.ts';
import { LongLivedSettings } from '../protocol/long-lived-agent.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { Exit } from '../supervision/index.ts';
import type { CommitmentCheck, Commitment } from './commitments.ts';
import type { Broadcast } from './broadcast.ts';

/** A question that it can't go on without. */
export type AgentQuestion = {
  readonly question: string;
  /** Null: any text is an answer. */
  readonly choices: readonly string[] | null;
  readonly about: 'budget' | 'input' | 'trouble' | 'gang' | 'limit';
  /** What it had been told and has not dealt with. */
  readonly news: string | null;
  /** What becomes of the work if the answer is to restart it. */
  readonly onRestart: 'keep' | 'discard';
};

/** What it is at. It keeps its place while it is between two lives. */
export type Phase =
  /** A turn is due or goes on. `news`: what it is told beside its assignment. */
  | { readonly kind: 'turn'; readonly news: string | null }
  | { readonly kind: 'verify'; readonly checks: readonly CommitmentCheck[]; readonly lost: number }
  /** Only a limit is in the way. `cools`: all runs are to hear of it first. */
  | {
      readonly kind: 'rest';
      readonly until: number;
      readonly reason: string;
      readonly cools: boolean;
      readonly news: string | null;
    }
  | ({ readonly kind: 'ask' } & AgentQuestion)
  /** It said that it waits for a message. */
  | { readonly kind: 'wakeup' }
  | { readonly kind: 'done'; readonly step: 'put' | 'take' | 'stand' };

/** The turn that goes on, or that was the last. */
export type AgentTurn = {
  readonly number: number;
  /** Whether it went on with an earlier conversation. */
  readonly resumed: boolean;
  /** The conversation, once the agent has named it in this turn. */
  readonly session: string | null;
};

export type AgentMessage = { readonly from: string | null; readonly text: string };

/** One file of its queue. `isNew`: no turn that was told of it has ended. */
export type QueueItem = { readonly name: string; readonly text: string; readonly isNew: boolean };

/** Something that a person is asked while the agent goes on, or is down. */
export type OpenIssue = {
  readonly number: number;
  readonly kind: string;
  readonly question: string;
  readonly choices: readonly string[];
};

/** Words on their way to another agent. */
export type OutgoingMessage = {
  readonly to: 'parent' | 'root';
  readonly text: string;
  /** How often it was lost with its owner. */
  readonly lost: number;
};

export type OpenAgentStep = { readonly key: string; readonly command: string };

export type AgentProgramState = {
  readonly task: string;
  readonly project: string;
  readonly settings: AttemptSettings;
  readonly life: LongLivedSettings;
  readonly state: AgentState;
  /** Lives begun. */
  readonly lives: number;
  /** How the last life ended; null while one goes on, or before the first. */
  readonly exit: Exit | null;
  readonly phase: Phase;
  /** What goes on is called off, and this follows. */
  readonly leaving: { readonly exit: Exit } | { readonly to: Phase } | null;
  /** Commands begun and not ended; `counts`: how many of each were begun. */
  readonly open: readonly OpenAgentStep[];
  readonly counts: Readonly<Record<string, number>>;
  /** Null: there was none, or nothing of it is taken up any more. */
  readonly turn: AgentTurn | null;
  /** The conversation to go on with; null: the next one is new. */
  readonly session: string | null;
  /** Why this life follows another, in a sentence to the agent, until a turn has ended that heard it. */
  readonly restarted: string | null;
  /** The last turn died with its owner. */
  readonly interrupted: boolean;
  /** Its last words, of the last turn that completed. */
  readonly summary: string | null;
  /** What it took from its queue. */
  readonly item: QueueItem | null;
  /** It may have taken something that it does not know of: a look into its queue was lost with its owner. */
  readonly hasUnseen: boolean;
  /** Which of its trees it works in: one that is discarded is followed by another. */
  readonly tree: number;
  /** The tree of its last turn; 0: it had none. */
  readonly workedIn: number;
  /** Null: the one that is pinned. */
  readonly model: string | null;
  readonly commitments: readonly Commitment[];
  /** What the last round said of its work. */
  readonly verdict: 'succeeded' | 'unverified' | null;
  readonly inbox: readonly AgentMessage[];
  readonly outbox: readonly OutgoingMessage[];
  readonly notes: number;
  /** What a person decided about its gang and the others have not been told. */
  readonly forAll: readonly Broadcast[];
  /** The last decisions about its gang that it has heard of. */
  readonly heardOf: readonly string[];
  readonly matters: readonly OpenIssue[];
  readonly mattersAsked: number;
  readonly escalations: Escalations;
  /** Each in a row: turns that failed, turns without a claim, rounds that failed, questions of its own, limits, deaths of owners. */
  readonly failures: number;
  readonly silent: number;
  readonly redRounds: number;
  readonly asked: number;
  readonly limits: number;
  readonly lost: number;
  readonly restingSince: number | null;
  /** Somebody has looked whether it rests, or a person said that it need not, and no turn has begun since. */
  readonly looked: boolean;
  /** It may not be restarted once more. */
  readonly spent: boolean;
  readonly wantsLife: boolean;
  readonly setup: SetupStage;
  /** How the run ends, once that is decided. Nothing new begins then. */
  readonly closing: RunOutcome | null;
  readonly kills: boolean;
  readonly finalized: boolean;
};

/** What one fact changes. */
export type AgentStateChange = Partial<AgentProgramState>;

export function startAgent({ task, project, settings }: Submission): AgentProgramState {
  const { life: pinned, ...rest } = settings;
  const life = LongLivedSettings.parse(pinned);
  return {
    task,
    project,
    settings: rest as unknown as AttemptSettings,
    life,
    state: 'summoned',
    lives: 0,
    exit: null,
    phase: { kind: 'turn', news: null },
    leaving: null,
    open: [],
    counts: {},
    turn: null,
    session: null,
    restarted: null,
    interrupted: false,
    summary: null,
    item: null,
    hasUnseen: false,
    tree: 1,
    workedIn: 0,
    model: null,
    commitments: life.commitments.map((one) => ({ ...one, status: 'pending', failure: null })),
    verdict: null,
    inbox: [],
    outbox: [],
    notes: 0,
    forAll: [],
    heardOf: [],
    matters: [],
    mattersAsked: 0,
    escalations: NO_ESCALATIONS,
    failures: 0,
    silent: 0,
    redRounds: 0,
    asked: 0,
    limits: 0,
    lost: 0,
    restingSince: null,
    looked: false,
    spent: false,
    wantsLife: false,
    setup: BEFORE_SETUP,
    closing: null,
    kills: false,
    finalized: false,
  };
}

/** Whether one of its lives goes on. */
export function isAgentAlive({ lives, exit, closing }: AgentProgramState): boolean {
  return lives > 0 && exit === null && closing === null;
}

/** What it is at itself: one thing at a time. Letters, matters and decisions for others go on beside it. */
export function mainStep({ open }: Pick<AgentProgramState, 'open'>): OpenAgentStep | undefined {
  return open.find((one) => isMain(one));
}

export function isMain({ key, command }: OpenAgentStep): boolean {
  return command !== 'tell' && command !== 'spread' && !key.startsWith(ISSUE_KEY);
}

export const ISSUE_KEY = 'matter-';

export function commandCount(
  { counts }: Pick<AgentProgramState, 'counts'>,
  command: string,
): number {
  return counts[command] ?? 0;
}
