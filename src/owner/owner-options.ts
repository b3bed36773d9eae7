/** What an owner is given by whoever starts it. */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Home } from '../host/machine/state-home.ts';

export type OwnerOptions = {
  readonly home: Home;
  /** Drawn afresh at each start: it tells this owner's processes and containers from those of another. */
  readonly ownerId: string;
  readonly version: string;
  readonly pid: number;
  readonly clock: Clock;
  readonly luck: Random;
  /** The Node that runs us, for agents that are programs of ours. */
  readonly node: string;
  /** What agents see of our environment. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** All of it. The keys in it are for the gateways of agents, and for nobody else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  /** It does not leave when nobody needs it. */
  readonly stays?: boolean;
};
