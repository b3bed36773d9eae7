/** How a run is shown while it works. */

/** False: text for a person. True: one JSON value at the end. 'stream': every fact as it comes, then that value. */
export type JsonOptions = boolean | 'stream';

export type WatchOptions = {
  readonly json: JsonOptions;
  /** Show everything that the agents print, not only their messages. */
  readonly follow?: boolean;
  /** Show the internal steps too. */
  readonly verbose?: boolean;
  /** Show no progress, only the result. */
  readonly quiet?: boolean;
  /** How the person can leave. Then Ctrl-C does not stop the run. */
  readonly leave?: Leave;
  /** How often the person has pressed Ctrl-C already. */
  readonly interrupts?: number;
};

type Leave = {
  /** Aborts when the person leaves. */
  readonly signal: AbortSignal;
  /** The exit code of the command if the person has left. */
  readonly code: () => number;
};
