/** The state of a long-lived agent: what its facts come to. */
import type { AttemptSettings } from '../attempts/attempt.ts';
import type { SetupStage } from '../attempts/setup-stage.ts';
import { BEFORE_SETUP } from '../attempts/setup-stage.ts';
import type { Escalations } from '../monitors/escalation.ts';
import { NO_ESCALATIONS } from '../monitors/escalation.ts';
import type { Submission } from '../protocol/event.ts';
import type { AgentState } from '../protocol/life.ts';
import { LifeSettings } from '../protocol/life.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { Exit } from '../supervision/index.ts';
import type { Check, Commitment } from './commitments.ts';
import type { ForAll } from './spread.ts';

/** A question that it can't go on without. */
export type Question = {
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
  | { readonly kind: 'verify'; readonly checks: readonly Check[]; readonly lost: number }
  /** Only a limit is in the way. `cools`: all runs are to hear of it first. */
  | {
      readonly kind: 'rest';
      readonly until: number;
      readonly reason: string;
      readonly cools: boolean;
      readonly news: string | null;
    }
  | ({ readonly kind: 'ask' } & Question)
  /** It said that it waits for a message. */
  | { readonly kind: 'wakeup' }
  | { readonly kind: 'done'; readonly step: 'put' | 'take' | 'stand' };

/** The turn that goes on, or that was the last. */
export type Turn = {
  readonly number: number;
  /** Whether it went on with an earlier conversation. */
  readonly resumed: boolean;
  /** The conversation, once the agent has named it in this turn. */
  readonly session: string | null;
};

export type Message = { readonly from: string | null; readonly text: string };

/** One file of its queue. `isNew`: no turn that was told of it has ended. */
export type Item = { readonly name: string; readonly text: string; readonly isNew: boolean };

/** Something that a person is asked while the agent goes on, or is down. */
export type OpenMatter = {
  readonly number: number;
  readonly kind: string;
  readonly question: string;
  readonly choices: readonly string[];
};

/** Words on their way to another agent. */
export type Letter = {
  readonly to: 'parent' | 'root';
  readonly text: string;
  /** How often it was lost with its owner. */
  readonly lost: number;
};

export type OpenStep = { readonly key: string; readonly command: string };

export type LifeState = {
  readonly task: string;
  readonly project: string;
  readonly settings: AttemptSettings;
  readonly life: LifeSettings;
  readonly state: AgentState;
  /** Lives begun. */
  readonly lives: number;
  /** How the last life ended; null while one goes on, or before the first. */
  readonly exit: Exit | null;
  readonly phase: Phase;
  /** What goes on is called off, and this follows. */
  readonly leaving: { readonly exit: Exit } | { readonly to: Phase } | null;
  /** Commands begun and not ended; `counts`: how many of each were begun. */
  readonly open: readonly OpenStep[];
  readonly counts: Readonly<Record<string, number>>;
  /** Null: there was none, or nothing of it is taken up any more. */
  readonly turn: Turn | null;
  /** The conversation to go on with; null: the next one is new. */
  readonly session: string | null;
  /** Why this life follows another, in a sentence to the agent, until a turn has ended that heard it. */
  readonly restarted: string | null;
  /** The last turn died with its owner. */
  readonly interrupted: boolean;
  /** Its last words, of the last turn that completed. */
  readonly summary: string | null;
  /** What it took from its queue. */
  readonly item: Item | null;
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
  readonly inbox: readonly Message[];
  readonly outbox: readonly Letter[];
  readonly notes: number;
  /** What a person decided about its gang and the others have not been told. */
  readonly forAll: readonly ForAll[];
  /** The last decisions about its gang that it has heard of. */
  readonly heardOf: readonly string[];
  readonly matters: readonly OpenMatter[];
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
export type Change = Partial<LifeState>;

export function startLife({ task, project, settings }: Submission): LifeState {
  const { life: pinned, ...rest } = settings;
  const life = LifeSettings.parse(pinned);
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
export function isAlive({ lives, exit, closing }: LifeState): boolean {
  return lives > 0 && exit === null && closing === null;
}

/** What it is at itself: one thing at a time. Letters, matters and decisions for others go on beside it. */
export function mainStep({ open }: Pick<LifeState, 'open'>): OpenStep | undefined {
  return open.find((one) => isMain(one));
}

export function isMain({ key, command }: OpenStep): boolean {
  return command !== 'tell' && command !== 'spread' && !key.startsWith(MATTER_KEY);
}

export const MATTER_KEY = 'matter-';

export function countOf({ counts }: Pick<LifeState, 'counts'>, command: string): number {
  return counts[command] ?? 0;
}
