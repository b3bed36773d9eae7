/** A task that several agents do side by side, of which gates choose one. */
import type { AgentSpec } from './pinned-settings.ts';

/** The name of the program that lets several agents do the same task, in a run's first event. */
export const BEST_OF_PROGRAM = 'best-of';

/** Each agent works in a tree of its own. More would cost more than they find. */
export const BEST_OF_MAX = 10;

export type PinnedBestOf = {
  /** One candidate each, with different identities, in the order of the chain. */
  readonly agents: readonly AgentSpec[];
};
