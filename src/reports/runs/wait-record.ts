/** A wait in the history of a run. */
export type WaitRecord = {
  readonly key: string;
  /** The run that waited: this one, or one that it continues. */
  readonly run: string;
  readonly why: string;
  readonly begunAt: number;
  readonly until: number;
  readonly endedAt: number | null;
  /** A user ended the wait early. */
  readonly skipped: boolean;
};
