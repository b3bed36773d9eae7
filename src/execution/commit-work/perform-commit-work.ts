/** Performs the commit at the end of a workflow, and opens the pull request. It can be repeated without harm. */
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { parseRunId } from '../../base/ids.ts';
import type { CommandContext, CommandRequest, Performer } from '../../engine/performer.ts';
import type { CommitWorkResult } from '../../protocol/contracts/workflow-contract.ts';
import { findApprovals } from '../../workspace/apply/approvals.ts';
import { commitToBranch } from '../../workspace/apply/commit-to-branch.ts';
import { readCommittedWork } from '../../workspace/commit-work.ts';
import { inspectProject } from '../../workspace/project.ts';
import type { WorkspaceId, WorkspacePorts } from '../../workspace/workspace.ts';
import { workRef } from '../../workspace/workspace.ts';
import { openPullRequest } from './open-pull-request.ts';

export type CommitWorkPorts = {
  readonly clock: Clock;
  /** The folder of the owner's state. */
  readonly stateDir: string;
  /** The user's home folder. */
  readonly userDir: string;
  readonly git: string;
  readonly tagOf: (run: string, key: string) => string;
  /** The user's own environment, for a pull request. */
  readonly ownerEnv: Readonly<Record<string, string | undefined>>;
};

export function commitWorkPerformer(ports: CommitWorkPorts): Performer<'commit-work'> {
  return {
    command: 'commit-work',
    perform: (request, context) => performCommitWork(request, context, ports),
  };
}

async function performCommitWork(
  request: CommandRequest<'commit-work'>,
  { cancelSignal }: CommandContext<'commit-work'>,
  { clock, stateDir, userDir, git, tagOf, ownerEnv }: CommitWorkPorts,
): Promise<CommitWorkResult> {
  const { run, key, input } = request;
  const { work, branch, pullRequest, isVerified = false, accepted = [] } = input;
  const tag = tagOf(run, key);
  const ports = { git, clock, tag, userHome: userDir, signal: cancelSignal };
  const owner = parseRunId(work.run);
  const ref = workRef({ run: owner ?? run, attempt: work.tree });
  if (branch === null) return { kind: 'refused', why: NO_BRANCH, ref };
  try {
    const { root } = await inspectProject(ports, { path: input.project, home: stateDir });
    const workspace = { home: stateDir, root, run: owner ?? run, attempt: work.tree };
    const fill = (text: string): string => text.replaceAll('${run_id}', run);
    const commit = await commitToBranch(workspace, ports, {
      commit: work.commit,
      branch,
      message: fill(input.message),
      trailers: { run, outcome: isVerified ? 'verified' : 'unverified', accepted },
    });
    const committed = { kind: 'committed', branch, commit, pullRequest: null } as const;
    if (pullRequest === null) return committed;
    const stays = `refs/heads/${branch}`;
    const dangers = await findDangers(workspace, ports);
    if (dangers.length > 0)
      return { kind: 'refused', why: `${DANGERS} ${dangers.join(', ')}.`, ref: stays };
    const opened = await openPullRequest(
      { clock, tag, git, env: ownerEnv, signal: cancelSignal },
      {
        ...{ root, run, branch },

        title: fill(pullRequest.title),
        body: fill(pullRequest.body),
        draft: pullRequest.draft,
      },
    );
    return opened.kind === 'opened'
      ? { ...committed, pullRequest: opened.url }
      : { kind: 'refused', why: opened.why, ref: stays };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, hint } = error.data;
    return { kind: 'refused', why: hint === undefined ? message : `${message} ${hint}`, ref };
  }
}

const NO_BRANCH =
  'The branch that you have checked out is not moved. To commit on a branch of its own, set git.auto_branch: true.';
const DANGERS =
  'The commit is made, and nothing was pushed, because a server may run these files by itself. Look at them, then push the branch yourself:';

/** Files of the work that run by themselves. A server could run them with its own secrets as soon as they are pushed. */
async function findDangers(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
): Promise<readonly string[]> {
  const { repo, before, after, changes } = await readCommittedWork(workspace, ports);
  const approvals = await findApprovals(repo, { before, after, changes });
  const paths = approvals.filter(({ needs }) => needs !== 'tests').map(({ path }) => path);
  return [...new Set(paths)].slice(0, 10);
}
