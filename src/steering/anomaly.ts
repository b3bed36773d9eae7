import type { DetectorName } from '../protocol/contracts/steering-contract.ts';
import type { OrganizationRole } from '../protocol/contracts/organization-contract.ts';
import type { Thresholds } from './steering-policy.ts';
import type { WatchHistory } from './watch-history.ts';

/** What a detector sees. */
export type Watched = {
  readonly history: WatchHistory;
  readonly thresholds: Thresholds;
  readonly role: OrganizationRole | null;
};

/** What a detector found. */
export type Anomaly = {
  readonly detector: DetectorName;
  /** One sentence: what is wrong. */
  readonly words: string;
  /** One sentence: what the agent should do. */
  readonly action: string;
  /** The first turn that shows it. */
  readonly since: number;
};

/** Pure. It never looks at more than the bounded history. */
export type Detector = (watched: Watched) => Anomaly | null;
