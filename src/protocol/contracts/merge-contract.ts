/** The stored form of the commands of a merge queue: what each takes and how it ends. */
import type { InterfaceFile } from '../feature.ts';
import type { WorkPoint } from './workflow-contract.ts';

/** Stores the files of the project as they are now, so that everything that follows begins with the same ones. */
export type OpenBaseInput = {
  readonly project: string;
  /** The user's commit. Absent: what the user has now. */
  readonly commit?: string;
  /** Which of the run's trees stores it. Absent: the first. */
  readonly tree?: number;
};
export type OpenBaseResult =
  | { readonly kind: 'opened'; readonly work: WorkPoint }
  | { readonly kind: 'refused'; readonly why: string };

/** Combines the work of a component with what has landed since it began. No checkout is touched. */
export type MergeWorkInput = {
  readonly project: string;
  /** What the work began with. */
  readonly base: WorkPoint;
  readonly work: WorkPoint;
  /** What has landed so far. */
  readonly tip: WorkPoint;
};
export type MergeWorkResult =
  | {
      readonly kind: 'merged';
      readonly work: WorkPoint;
      /** The files that the work changes. */
      readonly names: readonly string[];
    }
  | {
      readonly kind: 'conflict';
      readonly files: readonly string[];
      /** What has landed meanwhile in these files, as a diff. */
      readonly text: string;
    }
  | { readonly kind: 'refused'; readonly why: string };

/** Writes the interfaces of a phase on top of what has landed, after a check of their syntax. No checkout is touched. */
export type WriteInterfacesInput = {
  readonly project: string;
  readonly tip: WorkPoint;
  readonly files: readonly InterfaceFile[];
  /** The tree of the run that the result belongs to: each phase has its own. */
  readonly tree: number;
};
export type WriteInterfacesResult =
  | {
      readonly kind: 'written';
      readonly work: WorkPoint;
      /** The files that differ from what has landed. */
      readonly names: readonly string[];
    }
  /** They have faults: one line for each, with its file. */
  | { readonly kind: 'invalid'; readonly faults: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string };
