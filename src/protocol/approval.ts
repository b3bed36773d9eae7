/** The stored form of approvals: which risk needs which people, and how a person decided. */
import { z } from 'zod';
import { ApproverName, GROUPS_MAX } from './approver.ts';
import { PageChannel } from './dashboard-access.ts';

const HASH_MAX = 100;

export type RiskTier = 'low' | 'medium' | 'high' | 'critical';

/** Pinned with the settings of a run. Patterns are compared with paths in lower case. */
export type ApprovalPolicy = {
  readonly low: { readonly filesMax: number; readonly coverageMin: number };
  readonly high: { readonly paths: readonly string[]; readonly filesOver: number };
  readonly critical: { readonly paths: readonly string[]; readonly peopleMin: number };
  /** Names or groups of approvers who may decide about a tier. Empty: any approver. */
  readonly approvers: {
    readonly high: readonly string[];
    readonly critical: readonly string[];
  };
  /** Absent, or absent for a tier: a request waits until a person decides. */
  readonly timeouts?: Readonly<Partial<Record<RiskTier, ApprovalTimeout>>>;
};

/** What follows if no person decides in time. Time never approves. `park`: the request stays open without a limit. */
export type ApprovalTimeout = { readonly afterMs: number; readonly onTimeout: 'park' | 'deny' };

/** How risky a change is, and why. */
export type Risk = {
  readonly tier: RiskTier;
  readonly reasons: readonly string[];
};

/** Whose approval a change needs. */
export type ApprovalNeeds = Risk & {
  /** How many different people have to approve. 0: none. */
  readonly peopleMin: number;
  /** Names or groups. Empty: any person. */
  readonly approvers: readonly string[];
  /** People who have approved exactly this work already. */
  readonly approvedBy: readonly string[];
  /** Absent: the request waits until a person decides. */
  readonly timeout?: ApprovalTimeout;
};

const NAMES_MAX = 200;

/** The work as a person has changed it: a commit, the workspace that it belongs to, and its size. */
const EditedWork = z.strictObject({
  run: z.string().max(HASH_MAX),
  tree: z.int().positive(),
  commit: z.string().max(HASH_MAX),
  content: z.string().max(HASH_MAX),
  files: z.int().nonnegative(),
  added: z.int().nonnegative(),
  deleted: z.int().nonnegative(),
  names: z.array(z.string()).max(NAMES_MAX),
});
export type EditedWork = z.infer<typeof EditedWork>;

/** How a person decided, as the journal stores it beside the answer. */
export const ApprovalDecision = z.strictObject({
  /** The content of the work that the person saw. */
  work: z.string().max(HASH_MAX),
  /** The name of an approver whose secret was given. Null: the user of this machine, without a secret. */
  by: ApproverName.nullable(),
  /** The groups of that approver at that time. */
  groups: z.array(ApproverName).max(GROUPS_MAX),
  channel: z.enum(['terminal', 'api', ...PageChannel.options]),
  /** The person has changed the work to this. */
  edited: EditedWork.exactOptional(),
});
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;
