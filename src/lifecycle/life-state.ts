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

/** A question that it can't go on without. */
export type Question = {
  readonly question: string;
  /** None: any text is an answer. */
  readonly choices: readonly string[] | null;
  readonly about: 'budget' | 'input' | 'trouble';
};

/** What it is at, while it lives. */
export type Phase =
  /** A turn is due or goes on. `news`: what it is told beside its assignment. */
  | { readonly kind: 'turn'; readonly news: string | null }
  | { readonly kind: 'verify'; readonly checks: readonly Check[]; readonly lost: number }
  /** Only a limit is in the way. */
  | {
      readonly kind: 'rest';
      readonly news: string | null;
      readonly until: number;
      readonly cooled: boolean;
      readonly reason: string;
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
  /** The conversation as the agent has named it in this turn. */
  readonly session: string | null;
  readonly news: string | null;
};

export type Message = { readonly from: string | null; readonly text: string };

/** Something before a person while the agent goes on. */
export type OpenMatter = {
  readonly number: number;
  readonly kind: string;
  readonly question: string;
  readonly choices: readonly string[];
};

/** Words on their way to another agent. */
export type Letter = {
  readonly number: number;
  readonly to: 'parent' | 'root';
  readonly text: string;
};

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
  /** What has to be called off first, and what follows. */
  readonly leaving: { readonly then: Exit } | { readonly then: Phase } | null;
  /** Commands begun and not ended, and how many of each kind there were. */
  readonly open: readonly { readonly key: string; readonly command: string }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly turn: Turn | null;
  /** The conversation to go on with; null: the next one is new. */
  readonly session: string | null;
  /** Why this life follows another, until that was said. */
  readonly restarted: string | null;
  /** The last turn died with its owner. */
  readonly interrupted: boolean;
  /** Its last words, of the last turn that completed. */
  readonly summary: string | null;
  /** What it works on: the assignment, or an item of its queue. */
  readonly item: { readonly name: string; readonly text: string } | null;
  /** What the next turn begins with. */
  readonly workspace: 'keep' | 'discard';
  readonly model: string | null;
  readonly commitments: readonly Commitment[];
  readonly inbox: readonly Message[];
  readonly outbox: readonly Letter[];
  readonly matters: readonly OpenMatter[];
  readonly escalations: Escalations;
  /** In a row: turns without a claim, rounds that failed, owners that died. */
  readonly silent: number;
  readonly redRounds: number;
  readonly lost: number;
  /** Since when it has rested for limits. */
  readonly restingSince: number | null;
  readonly spent: boolean;
  readonly wantsLife: boolean;
  readonly setup: SetupStage;
  /** How the run ends, once that is decided. */
  readonly closing: RunOutcome | null;
  readonly kills: boolean;
  readonly finalized: boolean;
};

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
    workspace: 'keep',
    model: null,
    commitments: life.commitments.map((one) => ({ ...one, status: 'pending', failure: null })),
    inbox: [],
    outbox: [],
    matters: [],
    escalations: NO_ESCALATIONS,
    silent: 0,
    redRounds: 0,
    lost: 0,
    restingSince: null,
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
