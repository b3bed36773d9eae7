/** Approvals as clients see and send them. */
import { z } from 'zod';
import { defined } from '../../base/defined.ts';
import type { ApprovalDecision } from '../approval.ts';
import { ApproverName } from '../approver.ts';
import type { ApprovalSubject } from '../contracts/workflow-contract.ts';

/** What a person is asked to approve. */
export const ApprovalView = z.strictObject({
  step: z.string(),
  /** The content of the work. Empty: there is none. */
  work: z.string(),
  files: z.number(),
  added: z.number(),
  deleted: z.number(),
  names: z.array(z.string()),
  /** Whose approval it needs. Absent: that of any person. */
  needs: z
    .strictObject({
      tier: z.enum(['low', 'medium', 'high', 'critical']),
      reasons: z.array(z.string()),
      peopleMin: z.number(),
      approvers: z.array(z.string()),
      approvedBy: z.array(z.string()),
    })
    .exactOptional(),
  /** When its time is over, and what follows then: it stays open, or it is rejected. Absent: it has no time limit. */
  until: z.number().exactOptional(),
  onTimeout: z.enum(['park', 'deny']).exactOptional(),
  /** Its time is over, and it stays open. */
  parked: z.literal(true).exactOptional(),
  /** The commit that the workflow makes after it. */
  commit: z
    .strictObject({
      branch: z.string().nullable(),
      message: z.string(),
      pullRequest: z.string().nullable(),
    })
    .exactOptional(),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

export function approvalView(
  { names, needs, ...subject }: ApprovalSubject,
  until: number | undefined,
): ApprovalView {
  if (needs === undefined) return { ...subject, names: [...names] };
  const { reasons, approvers, approvedBy, timeout, ...rest } = needs;
  const lists = {
    reasons: [...reasons],
    approvers: [...approvers],
    approvedBy: [...approvedBy],
  };
  const limit = until === undefined ? {} : defined({ until, onTimeout: timeout?.onTimeout });
  return { ...subject, names: [...names], needs: { ...rest, ...lists }, ...limit };
}

const TEXT_MAX = 10_000;
const WORK_MIN = 7;

export const DecideRequest = z.strictObject({
  decision: z.enum(['approve', 'reject', 'send-back', 'edit']),
  /** The reason of a rejection, or what has to change. */
  text: z.string().max(TEXT_MAX).exactOptional(),
  /** The work that the person saw, or the first characters of its hash. Absent: the current work. */
  work: z.string().min(WORK_MIN).max(100).exactOptional(),
  /** The approver who decides, with their secret. Absent: the user of this machine. */
  as: ApproverName.exactOptional(),
  secret: z.string().max(1000).exactOptional(),
  channel: z.enum(['terminal', 'api']).prefault('api'),
});
export type DecideRequest = z.input<typeof DecideRequest>;

/** The request, with where it came from: the owner knows whether it came from a page. */
export type PersonDecision = Omit<DecideRequest, 'channel'> & {
  readonly channel?: ApprovalDecision['channel'] | undefined;
};

/** Where a person changes the work. */
export const EditView = z.strictObject({
  folder: z.string(),
  /** The content of the work that the checkout started with. */
  work: z.string(),
});
export type EditView = z.infer<typeof EditView>;
