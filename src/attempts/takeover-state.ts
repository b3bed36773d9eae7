/** What the attempt loop remembers about a person who takes its agent over. */
export type TakeoverState = {
  /** What a person wants in their terminal, until the attempt for it begins. */
  readonly wanted: 'agent' | 'shell' | null;
  /** The number of the attempt that a person has or had, until they have decided what follows. */
  readonly attempt: number | null;
  /** What they have decided: the agent continues. */
  readonly continues: boolean;
  /** What they have decided: the run ends. */
  readonly stops: boolean;
  /** How many attempts were taken over. They do not count as attempts of the agent. */
  readonly attempts: number;
};

/** No person has taken its agent over. */
export const NO_TAKEOVER: TakeoverState = {
  wanted: null,
  attempt: null,
  continues: false,
  stops: false,
  attempts: 0,
};

/** A run that begins in the terminal of a person. */
export function takenFromStart({ interactive }: { readonly interactive?: boolean }): {
  readonly takeover?: TakeoverState;
} {
  return interactive === true ? { takeover: { ...NO_TAKEOVER, wanted: 'agent' } } : {};
}
