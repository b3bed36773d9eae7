/** A known bug: the exact text that it breaks, and the broken text. */
export type Plant = {
  readonly says: string;
  /** Below src/. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
};
