/** What a dashboard shows and how it stays current: one stream of these items. */
import { z } from 'zod';
import type { OutputChunk } from '../api.ts';
import type { OpenQuestion } from './open-question.ts';
import type { RunEvent } from '../event.ts';
import type { ScheduleView } from './schedule-view.ts';
import type { StatusRow } from './status-row.ts';
import type { CooldownView } from './cooldown-view.ts';
import type { QuotaView } from './quota-view.ts';
import type { TimelineBar } from './timeline.ts';
import type { TreeView } from './tree-view.ts';

export type BoardRow = {
  readonly row: StatusRow;
  /** The last bars of a run that has not ended. */
  readonly bars: readonly TimelineBar[];
};

/** How much an agent's plan or rate has left, as its provider reported it last. */
export type BoardAccount = QuotaView & {
  readonly agent: string;
  /** The end of the run that it was reported to. Null: that run has not ended. */
  readonly endedAt: number | null;
};

/** A run that starts at set times, and the next of them. */
export type BoardSchedule = Pick<ScheduleView, 'name' | 'cron' | 'timeZone' | 'task' | 'nextAt'>;

export type BoardItem =
  | {
      readonly kind: 'board';
      /** All runs that a dashboard shows. Otherwise only those that have changed. */
      readonly isWhole: boolean;
      readonly rows: readonly BoardRow[];
      readonly questions: readonly OpenQuestion[];
      readonly accounts: readonly BoardAccount[];
      readonly cooling: readonly CooldownView[];
      /** In the order of their next times. */
      readonly schedules: readonly BoardSchedule[];
      /** The id of the last event that it contains. 0: more rows follow, and only with them it is whole. */
      readonly upTo: number;
      /** The owner's time. */
      readonly now: number;
    }
  /** Only if the page asks for it. */
  | { readonly kind: 'tree'; readonly tree: TreeView }
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
  /** Also the tree of long-lived agents, now and after each change. */
  tree: z.stringbool().exactOptional(),
});
export type BoardRequest = z.output<typeof BoardQuery>;
