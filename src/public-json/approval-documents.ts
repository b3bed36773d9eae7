/** What `supervisor approvals` and `supervisor approver list` print. */
import { z } from 'zod';
import type { OpenQuestion } from '../protocol/views/open-question.ts';
import type { Approver } from '../protocol/approver.ts';
import type { ApprovalView } from '../protocol/views/approval-view.ts';
import { documentSchema, field, runId, time, toIso } from './document.ts';

export const ApprovalsDocument = documentSchema(
  'approvals',
  'The changes that wait for an approval, oldest first.',
  {
    approvals: z.array(
      z.strictObject({
        run_id: runId,
        task: z.string(),
        project: z.string(),
        step: z.string(),
        tree: field(z.string(), 'Names the content of the work, for approve --tree.'),
        files_changed: z.number(),
        files: field(z.array(z.string()), 'Some of the changed files.'),
        risk: field(
          z.enum(['low', 'medium', 'high', 'critical']).nullable(),
          'Null: there is no change that could have a risk.',
        ),
        reasons: z.array(z.string()),
        people_needed: z.number(),
        approvers: field(z.array(z.string()), 'Names or groups. Empty: any approver.'),
        approved_by: z.array(z.string()),
        asked_at: time,
        timeout_at: field(time.nullable(), 'When its time is over. Null: it has no time limit.'),
        on_timeout: field(
          z.enum(['park', 'deny']).nullable(),
          'park: it stays open. deny: it is rejected. Null: it has no time limit.',
        ),
        parked: field(z.boolean(), 'Its time is over, and it stays open.'),
      }),
    ),
  },
);

export const EditDocument = documentSchema('edit', 'Where you change the work of a workflow.', {
  run_id: runId,
  folder: field(
    z.string(),
    'The checkout. Change files there, then run: supervisor edit RUN --done',
  ),
  tree: field(z.string(), 'Names the content of the work that the checkout started with.'),
});

export function approvalsDocument(
  all: readonly (OpenQuestion & { readonly approval: ApprovalView })[],
): z.infer<typeof ApprovalsDocument> {
  return {
    schema: 'supervisor.approvals/1',
    approvals: all.map(({ run, task, project, since, approval }) => ({
      run_id: run,
      task,
      project,
      step: approval.step,
      tree: approval.work,
      files_changed: approval.files,
      files: approval.names,
      risk: approval.needs?.tier ?? null,
      reasons: approval.needs?.reasons ?? [],
      people_needed: approval.needs?.peopleMin ?? 1,
      approvers: approval.needs?.approvers ?? [],
      approved_by: approval.needs?.approvedBy ?? [],
      asked_at: toIso(since),
      timeout_at: approval.until === undefined ? null : toIso(approval.until),
      on_timeout: approval.onTimeout ?? null,
      parked: approval.parked === true,
    })),
  };
}

export const ApproversDocument = documentSchema(
  'approvers',
  'The people who may approve changes.',
  {
    approvers: z.array(
      z.strictObject({
        name: z.string(),
        groups: field(z.array(z.string()), 'A policy may name a group instead of a person.'),
        added_at: time,
        wrong_secrets: field(z.int(), 'How many wrong secrets were given in a row.'),
        locked_until: field(
          time.nullable(),
          'Until then no secret is accepted. Null: it is not locked.',
        ),
      }),
    ),
  },
);

export const ApproverDocument = documentSchema('approver', 'An approver who was added.', {
  name: z.string(),
  groups: z.array(z.string()),
  secret: field(z.string().nullable(), 'It is shown only once. Null: you gave it yourself.'),
});

/** What is known about wrong secrets of an approver. */
type SecretState = { readonly wrong: number; readonly lockedUntil: number | null };

export function approversDocument(
  all: readonly Approver[],
  stateOf: (name: string) => SecretState,
): z.infer<typeof ApproversDocument> {
  return {
    schema: 'supervisor.approvers/1',
    approvers: all.map(({ name, groups, addedAt }) => {
      const { wrong, lockedUntil } = stateOf(name);
      const until = lockedUntil === null ? null : toIso(lockedUntil);
      const secrets = { wrong_secrets: wrong, locked_until: until };
      return { name, groups: [...groups], added_at: toIso(addedAt), ...secrets };
    }),
  };
}
