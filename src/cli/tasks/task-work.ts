/** Where the work of a task is now: it waits for its commit, is on a branch, in the files, or only on its ref. */
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import { isInPlace, wasThere } from '../../protocol/views/applied-view.ts';
import type { ApprovalView } from '../../protocol/views/approval-view.ts';
import { runStatus } from '../../protocol/views/run-status.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CommitWorkResult } from '../../protocol/contracts/workflow-contract.ts';
import type { CliContext } from '../cli-context.ts';
import { userGitLine } from '../apply/user-git.ts';

type BranchWork = {
  readonly branch: string;
  /** The commit that the branch points to now. */
  readonly tip: string;
  /** The address of the pull request that a workflow has opened. */
  readonly pullRequest: string | null;
};

export type TaskWork =
  /** Its workflow asks before it commits. */
  | { readonly kind: 'asks'; readonly approval: ApprovalView; readonly lastSeq: number }
  /** It has not come to its commit. */
  | { readonly kind: 'busy'; readonly status: string }
  | ({ readonly kind: 'branch' } & BranchWork)
  /** The files of the project have it. */
  | { readonly kind: 'files'; readonly applied: AppliedView }
  | { readonly kind: 'kept' };

/** `project`: one of those that a feature spans. An apply is always to that of the run, so it says nothing of another. */
export async function findTaskWork(
  context: CliContext,
  client: Client,
  view: RunView,
  project: string,
): Promise<TaskWork> {
  const { id, open, outcome } = view;
  const { committed, lastSeq } = await readCommits(client, id);
  const approval = open.find((one) => one.approval?.commit !== undefined)?.approval;
  if (approval !== undefined) return { kind: 'asks', approval, lastSeq };
  const applied = project === view.project ? (await client.applyDetails(id)).applied : null;
  const branch = committed?.branch ?? (applied?.kind === 'branch' ? applied.branch : null);
  const tip = branch === null ? undefined : await branchTip(context, project, branch);
  if (branch !== null && tip !== undefined)
    return { kind: 'branch', branch, tip, pullRequest: committed?.pullRequest ?? null };
  if (outcome === null) return { kind: 'busy', status: runStatus(view) };
  if (applied !== null && isInPlace(applied) && applied.kind === 'files' && !wasThere(applied))
    return { kind: 'files', applied };
  return { kind: 'kept' };
}

export function branchTip(
  context: CliContext,
  project: string,
  branch: string,
): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
  return userGitLine(context, project, args);
}

type Committed = Extract<CommitWorkResult, { kind: 'committed' }>;
type Commits = { readonly committed: Committed | undefined; readonly lastSeq: number };

const PAGE = 1000;

/** The last commit that the workflow has made, and the number of its last event. */
async function readCommits(client: Client, run: string): Promise<Commits> {
  let found: Commits = { committed: undefined, lastSeq: 0 };
  for (;;) {
    const events = await client.events({ run, after: found.lastSeq, limit: PAGE });
    for (const { type, payload, seq } of events) {
      const isCommit = type === 'command.ended' && payload.command === 'commit-work';
      const end = isCommit && payload.end.kind === 'done' ? payload.end.result : undefined;
      found = {
        committed: end !== undefined && isCommitted(end) ? end : found.committed,
        lastSeq: seq,
      };
    }
    if (events.length < PAGE) return found;
  }
}

function isCommitted(result: unknown): result is Committed {
  return typeof result === 'object' && result !== null && 'branch' in result && 'commit' in result;
}

/** Waits until the workflow has made the commit that was approved. Refuses if it asks again or ends without one. */
export async function awaitCommit(client: Client, run: string, after: number): Promise<void> {
  for await (const event of client.followRun(run, after)) {
    if (event.type === 'run.ended') throw notCommitted(run, event.payload.outcome.reason);
    if (event.type === 'command.begun' && event.payload.command === 'ask')
      throw notCommitted(run, event.payload.input.question);
    if (event.type !== 'command.ended' || event.payload.command !== 'commit-work') continue;
    const { end } = event.payload;
    if (end.kind === 'done' && end.result.kind === 'committed') return;
  }
}

function notCommitted(run: string, why: string): Refusal {
  return new Refusal({
    code: 'workspace.not-committable',
    message: `The task ${run} was not committed: ${why}`,
    hint: `See its state with: supervisor status ${run}`,
  });
}
