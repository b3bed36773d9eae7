/** What a dashboard shows and how it stays current: one stream of these items. */
import { z } from 'zod';
import type { OpenQuestion, OutputChunk } from '../api.ts';
import type { RunEvent } from '../event.ts';
import type { StatusRow } from './status-row.ts';
import type { TimelineBar } from './timeline.ts';

export type BoardRow = {
  readonly row: StatusRow;
  /** The last bars of a run that has not ended. */
  readonly bars: readonly TimelineBar[];
};

export type BoardItem =
  | {
      readonly kind: 'board';
      /** All runs that a dashboard shows. Otherwise only those that have changed. */
      readonly isWhole: boolean;
      readonly rows: readonly BoardRow[];
      readonly questions: readonly OpenQuestion[];
      /** The id of the last event that it contains. */
      readonly upTo: number;
      /** The owner's time. */
      readonly now: number;
    }
  | { readonly kind: 'facts'; readonly run: string; readonly events: readonly RunEvent[] }
  | {
      readonly kind: 'output';
      readonly run: string;
      readonly chunks: readonly OutputChunk[];
      /** How many characters before these were left out. */
      readonly leftOut: number;
    };

export const BoardQuery = z.strictObject({
  /** The last event that the page has seen. 0: it has seen nothing. */
  after: z.coerce.number().int().min(0).default(0),
  /** Also the facts and the output of this run. */
  run: z.string().max(100).optional(),
  /** Only facts after this one. */
  seq: z.coerce.number().int().min(0).default(0),
});
export type BoardRequest = z.output<typeof BoardQuery>;
