/** What is known of one simulated world, by somebody who saw all of it. The invariants read only this. */
import type { Limit } from '../../../src/engine/limits.ts';
import type { StoredEvent } from '../../../src/protocol/event.ts';
import type { FaultKind } from './scenario.ts';
import type { TreesRecord } from './trees-record.ts';
import type { Era } from './world-clock.ts';

/** A fact of the journal, and when it really was written. */
export type Fact = StoredEvent & { readonly elapsedMs: number };

/** One performance as the machine saw it. `order` numbers beginnings and ends through the whole world. */
export type Process = {
  readonly pid: number;
  readonly owner: number;
  readonly run: string;
  readonly key: string;
  readonly command: string;
  /** Whether the journal said at its start that this key had begun and not ended. */
  readonly wasOnRecord: boolean;
  readonly limits: readonly string[];
  readonly startedMs: number;
  /** When it began by the record: on a slow disk, a little earlier than it started. */
  readonly begunMs: number;
  readonly era: number;
  readonly bornOrder: number;
  diedOrder: number | null;
  diedMs: number | null;
  /** How long it may take to end when it is asked to. */
  readonly graceMs: number;
  /** It goes on until somebody calls it off. */
  readonly endless: boolean;
};

/** Somebody was told that this is durable, when the journal held `facts` facts. */
export type Ack =
  | { readonly kind: 'started'; readonly run: string; readonly facts: number }
  | {
      readonly kind: 'signalled';
      readonly run: string;
      readonly signal: string;
      readonly facts: number;
    }
  | { readonly kind: 'noted'; readonly run: string; readonly key: string; readonly facts: number };

/** What one follower was shown. */
export type FollowedRun = {
  readonly run: string;
  readonly after: number;
  readonly seen: number[];
  /** Its stream ended by itself, as it does when the run ends. */
  complete: boolean;
};

/** A while in which nobody can be asked to be on time. */
export type FaultRecord = { readonly fromMs: number; readonly toMs: number };

/** A decision that leaves no fact of its own. */
export type WorldRemark = { readonly decision: string; readonly elapsedMs: number };

export type WorldRecord = {
  readonly seed: number;
  readonly limits: readonly Limit[];
  readonly facts: readonly Fact[];
  /** What the journal said it had kept, as it said it. */
  readonly kept: readonly StoredEvent[];
  readonly processes: readonly Process[];
  readonly acks: readonly Ack[];
  readonly followed: readonly FollowedRun[];
  readonly eras: readonly Era[];
  readonly troubles: readonly FaultRecord[];
  readonly faults: readonly { readonly kind: FaultKind; readonly elapsedMs: number }[];
  readonly remarks: readonly WorldRemark[];
  /** What the engine called a defect, or a caller got as one. */
  readonly defects: readonly string[];
  /** Where the state read quickly differs from the state folded from the first fact. */
  readonly differences: readonly string[];
  /** Runs that had not ended when the world had waited as long as it may. */
  readonly stuck: readonly string[];
  /** What the owners wrote into their logs. */
  readonly logs: readonly string[];
  /** Null in a world without trees. */
  readonly trees: TreesRecord | null;
  /** The files of all work queues at the end. */
  readonly queue: readonly string[];
  /** Where somebody has laid something into one. */
  readonly laid: readonly string[];
};
