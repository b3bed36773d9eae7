import type { Journal } from '../../store/journal.ts';

export type JournalUnderTest = {
  readonly journal: Journal;
  /** Drops the journal as a crash does, and reopens what is durable. */
  reopen(): Promise<Journal>;
  /** Makes the disk full, or frees it again. */
  readonly fill: (full: boolean) => void;
  dispose(): Promise<void>;
};

/** One test on its own journal. */
export type Using = (sentence: string, body: (under: JournalUnderTest) => Promise<void>) => void;
