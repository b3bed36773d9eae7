/** What the world outside a run says of its agents, taken before an agent is chosen. */
export type SurveyInput = {
  readonly project: string;
  readonly agents: readonly { readonly id: string; readonly identity: string }[];
};

export type Survey = {
  /** When it was taken (ISO). */
  readonly at: string;
  readonly cooling: readonly {
    readonly identity: string;
    readonly until: string;
    readonly reason: string;
  }[];
  /** How many attempts each identity has begun, over all runs. */
  readonly uses: Readonly<Record<string, number>>;
  /** The agent with which the last round-robin of this project began. */
  readonly lastFirst: string | null;
};

/** The command `cool`: an identity rests until then. Its result is {}. */
export type CoolInput = {
  readonly agent: string;
  readonly identity: string;
  readonly until: string;
  readonly reason: string;
};
