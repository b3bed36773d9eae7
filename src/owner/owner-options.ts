/** The options with which a process starts an owner. */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { DatabaseWish } from '../store/open-home-journal.ts';
import type { Home } from '../host/machine/state-home.ts';

export type OwnerOptions = {
  readonly home: Home;
  /**
   * A random id for each start. Tags and container names carry it, so that owners do not confuse
   * their processes.
   */
  readonly ownerId: string;
  readonly version: string;
  readonly pid: number;
  readonly clock: Clock;
  readonly random: Random;
  /** The Node executable of this process. It runs the scripted agents. */
  readonly node: string;
  /** The part of the environment that agents receive. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** The whole environment. It contains keys, and only the gateways of agents receive those. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  /** For tests that need no copy: scripted agents work in the project itself. */
  readonly scriptedInProject?: boolean;
  /** The database that a person names for the journal. Absent: the home says where its journal is. */
  readonly database?: DatabaseWish;
  /** If true, the owner does not close when it is idle. */
  readonly stays?: boolean;
};
