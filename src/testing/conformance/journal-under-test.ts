import type { Journal } from '../../store/journal.ts';

export type JournalUnderTest = {
  readonly journal: Journal;
  /** Drops the journal as a crash does, and opens what is durable again. */
  reopen(): Promise<Journal>;
  /** From now on there is no room on the disk for more, or there is again. */
  readonly fill: (full: boolean) => void;
  dispose(): Promise<void>;
};

/** One test on a journal of its own. */
export type Using = (sentence: string, body: (under: JournalUnderTest) => Promise<void>) => void;
