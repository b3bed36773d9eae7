/** What the watch over an agent's turns finds, as the journal stores it. */
import type { PinnedOrganization, TaskDomain } from './organization-contract.ts';

/** In the order of their severity, the most severe first. `tool-advice` never speaks beside another. */
export const DETECTORS = [
  'pace-emergency',
  'pace-contingent',
  'pace-flapping',
  'cascade',
  'context',
  'stall',
  'completion-stall',
  'stagnation',
  'no-op',
  'loop',
  'oscillation',
  'false-recovery',
  'tool-advice',
] as const;
export type DetectorName = (typeof DETECTORS)[number];

/**
 * `shadow`: findings are recorded and shown, and nothing is sent. `steer`: a message is sent. `auto`: a message is sent
 * while the numbers of earlier runs say that it pays, and else nothing.
 */
export const STEERING_MODES = ['off', 'shadow', 'steer', 'auto'] as const;
export type SteeringMode = (typeof STEERING_MODES)[number];

/**
 * What became of an anomaly. `shadow`: its detector only watches. `sent`: the agent gets the message. `held-out`: this run
 * gets no message, so that the numbers stay comparable. `outranked`: a more severe anomaly spoke in the same check.
 * `undelivered`: the agent does not get it now, for a reason. `paused`: the agent did not react to emergencies, so the
 * run is paused, and a person must look.
 */
export type SteeringDecision =
  | 'shadow'
  | 'sent'
  | 'held-out'
  | 'outranked'
  | 'undelivered'
  | 'paused';

/** An anomaly of one conversation, recorded while its attempt runs. */
export type AnomalyNote = {
  readonly kind: 'anomaly';
  readonly detector: DetectorName;
  readonly conversation: string;
  /** The turn of the conversation at which it was found. */
  readonly turn: number;
  readonly model: string;
  /** One sentence about what was seen. */
  readonly words: string;
  readonly decision: SteeringDecision;
  /** The id of the message about it. Its receipt says what became of it. Absent: there is none. */
  readonly message?: string;
  /** Why it is undelivered. */
  readonly why?: string;
};

/** A detector has thrown, or the watch itself has. The run continues without it. */
export type DetectorDefectNote = {
  readonly kind: 'detector-defect';
  readonly detector: DetectorName | 'watch';
  readonly message: string;
};

type Bounds = { readonly initial: number; readonly least: number; readonly most: number };

/** The thresholds by name: the default, and the bounds that no setting can pass. */
export const THRESHOLDS = {
  /** Turns in a row without progress that brought nothing new. */
  'stall.turns': { initial: 12, least: 6, most: 1000 },
  /** Turns without progress, whatever they brought. */
  'stall.turns_exploring': { initial: 1000, least: 6, most: 1000 },
  /** Times that the same call failed in the same way. */
  'loop.repeats': { initial: 3, least: 3, most: 50 },
  /** Times that two failing calls took turns. */
  'oscillation.rounds': { initial: 2, least: 2, most: 20 },
  /** Different tools among the last five failures. */
  'cascade.tools': { initial: 3, least: 3, most: 5 },
  'context.notice': { initial: 0.8, least: 0.5, most: 1 },
  'context.urgent': { initial: 0.9, least: 0.5, most: 1 },
  /** Successful calls in a row that only repeat one or two calls. */
  'stagnation.calls': { initial: 6, least: 4, most: 20 },
  /** Turns after the end of the plan that brought nothing new. */
  'completion-stall.turns': { initial: 3, least: 3, most: 100 },
  /** Turns without a tool call and without a new text. */
  'no-op.turns': { initial: 3, least: 3, most: 100 },
  /** Turns after a success in which the same failure comes back. */
  'false-recovery.turns': { initial: 3, least: 1, most: 20 },
  /** Failures of one tool in a row, and of all tools. */
  'tool-advice.failures': { initial: 3, least: 3, most: 20 },
  'tool-advice.failures_of_all': { initial: 5, least: 5, most: 20 },
  /** Changes of the PACE level within twenty turns. */
  'pace-flapping.changes': { initial: 2, least: 2, most: 20 },
} as const satisfies Readonly<Record<string, Bounds>>;
export type ThresholdName = keyof typeof THRESHOLDS;
export type ThresholdChanges = Readonly<Partial<Record<ThresholdName, number>>>;
export type ModeChanges = Readonly<Partial<Record<DetectorName, SteeringMode>>>;

/** How the turns of a run are watched. A run pins it when it is submitted. */
export type PinnedSteering = {
  /** The mode of every detector that has none of its own. */
  readonly mode: SteeringMode;
  readonly checkTurns: number;
  readonly cooldownTurns: number;
  /** The share of runs that get no message although a detector may speak. */
  readonly heldOut: number;
  readonly modes: ModeChanges;
  readonly thresholds: ThresholdChanges;
  /** Changes for some models and roles. Of two that match, the later one counts. */
  readonly overrides: readonly {
    /** A name in which `*` is any text. Absent: all. */
    readonly model?: string;
    readonly role?: string;
    readonly domain?: TaskDomain;
    readonly mode?: SteeringMode;
    readonly modes: ModeChanges;
    readonly thresholds: ThresholdChanges;
  }[];
  /** Whether healthy runs may raise thresholds. Absent: they may. */
  readonly learn?: false;
  /** Absent: no organization is active. */
  readonly organization?: PinnedOrganization;
};

export const DEFAULT_STEERING: PinnedSteering = {
  mode: 'shadow',
  checkTurns: 3,
  cooldownTurns: 3,
  heldOut: 0.1,
  modes: {},
  thresholds: {},
  overrides: [],
};
