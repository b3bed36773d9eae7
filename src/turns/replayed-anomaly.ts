import type { DetectorName } from '../protocol/contracts/steering-contract.ts';

/** What would have been found at a turn of a recorded run. */
export type ReplayedAnomaly = {
  readonly attempt: string;
  readonly conversation: string;
  readonly turn: number;
  readonly at: number;
  readonly detector: DetectorName;
  /** What the agent would be told. */
  readonly message: string;
};
