/** What the world outside a run says of its agents, taken before an agent is chosen. */
import type { AgentOrder } from './chain.ts';

export type AvailabilityInput = {
  readonly project: string;
  readonly agents: readonly { readonly id: string; readonly identity: string }[];
  /** How the first of them is chosen; absent: the run has begun already, or an older release asks. */
  readonly chooses?: Pick<AgentOrder, 'order' | 'fallbacks'>;
};

export type Availability = {
  /** When it was taken (ISO). */
  readonly at: string;
  readonly cooling: readonly {
    readonly identity: string;
    /** Its name in this run. Older releases did not say it. */
    readonly agent?: string;
    readonly until: string;
    readonly reason: string;
  }[];
  /** How many attempts each identity has begun, over all runs, and how many runs are about to begin with it. */
  readonly uses: Readonly<Record<string, number>>;
  /** The agent with which the last round-robin of this project began. */
  readonly lastFirst: string | null;
  /** The identity that this run will begin with, once there is room. */
  readonly begins?: string | null;
};

/** The command `cool`: an identity rests until then. Its result is {}. */
export type CoolInput = {
  readonly agent: string;
  readonly identity: string;
  readonly until: string;
  readonly reason: string;
};
