/** The complete record of one simulated world. The invariants read only this. */
import type { Limit } from '../../../src/engine/limits.ts';
import type { RunEvent, StoredEvent } from '../../../src/protocol/event.ts';
import type { FaultKind } from './scenario.ts';
import type { TreesRecord } from './trees-record.ts';
import type { Era } from './world-clock.ts';

/** A fact of the journal, and when it was really written. */
export type Fact = StoredEvent & { readonly elapsedMs: number };
export type RunFact = RunEvent & { readonly elapsedMs: number };

/**
 * One execution of a command on the machine. `order` numbers starts and ends across the whole
 * world.
 */
export type Process = {
  readonly pid: number;
  readonly owner: number;
  readonly run: string;
  readonly key: string;
  readonly command: string;
  /** Whether the journal showed at its start that this key had begun and not ended. */
  readonly wasOnRecord: boolean;
  readonly limits: readonly string[];
  readonly startedMs: number;
  /** When it began by the record: on a slow disk, a little earlier than it started. */
  readonly begunMs: number;
  readonly era: number;
  readonly bornOrder: number;
  diedOrder: number | null;
  diedMs: number | null;
  /** How long it may take to end after a stop. */
  readonly graceMs: number;
  /** It runs until it is cancelled. */
  readonly endless: boolean;
};

/**
 * A caller received an acknowledgement that this is durable, when the journal held `facts` facts.
 */
export type Ack =
  | { readonly kind: 'started'; readonly run: string; readonly facts: number }
  | {
      readonly kind: 'signalled';
      readonly run: string;
      readonly signal: string;
      readonly facts: number;
    }
  | { readonly kind: 'noted'; readonly run: string; readonly key: string; readonly facts: number };

/** What one follower received. */
export type FollowedRun = {
  readonly run: string;
  readonly after: number;
  readonly seen: number[];
  /** Its stream ended normally, as it does when the run ends. */
  complete: boolean;
};

/** A period in which deadlines do not count. */
export type FaultRecord = { readonly fromMs: number; readonly toMs: number };

/** A decision that leaves no fact. */
export type WorldRemark = { readonly decision: string; readonly elapsedMs: number };

export type WorldRecord = {
  readonly seed: number;
  readonly limits: readonly Limit[];
  readonly facts: readonly Fact[];
  /** Values that the journal acknowledged as stored. */
  readonly kept: readonly StoredEvent[];
  readonly processes: readonly Process[];
  readonly acks: readonly Ack[];
  readonly followed: readonly FollowedRun[];
  readonly eras: readonly Era[];
  readonly troubles: readonly FaultRecord[];
  readonly faults: readonly { readonly kind: FaultKind; readonly elapsedMs: number }[];
  readonly remarks: readonly WorldRemark[];
  /** Errors that the engine or a caller got as defects. */
  readonly defects: readonly string[];
  /** Where a fast path to a state differs from a fold of all facts. */
  readonly differences: readonly string[];
  /** Runs that had not ended at the time limit of the world. */
  readonly stuck: readonly string[];
  /** The log lines of the owners. */
  readonly logs: readonly string[];
  /** Null in a world without trees. */
  readonly trees: TreesRecord | null;
  /** The files of all work queues at the end. */
  readonly queue: readonly string[];
  /** Where an item was added to a queue. */
  readonly laid: readonly string[];
};
