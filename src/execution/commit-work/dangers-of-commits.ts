/** What commits would bring to a server besides the files that remain at the end: files that run by themselves. */
import { Refusal } from '../../base/errors.ts';
import { which } from '../../host/process/which.ts';
import type { NeededApproval } from '../../workspace/apply/approvals.ts';
import { findApprovals } from '../../workspace/apply/approvals.ts';
import type { ShadowRepo } from '../../workspace/shadow-repo.ts';
import { readTree } from '../../workspace/shadow-repo.ts';
import { compareTrees } from '../../workspace/tree-entries.ts';
import type { UserCommandPorts } from './run-as-user.ts';
import { runAsUser } from './run-as-user.ts';

/** Each of these commits of the user's repository is compared with the one before it. */
export async function dangersOfCommits(
  ports: UserCommandPorts,
  root: string,
  [first, ...others]: readonly string[],
): Promise<readonly NeededApproval[]> {
  if (first === undefined) return [];
  const repo = await openRepository(ports, root);
  const found: NeededApproval[] = [];
  let before = await readTree(repo, first);
  for (const commit of others) {
    const after = await readTree(repo, commit);
    const changes = compareTrees(before, after);
    found.push(...(await findApprovals(repo, { before, after, changes })));
    before = after;
  }
  return found;
}

/** The repository of the user, only to read it: nothing of its settings and attributes counts. */
async function openRepository(ports: UserCommandPorts, root: string): Promise<ShadowRepo> {
  const { clock, env, tag } = ports;
  const args = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  const { out, problem } = await runAsUser(ports, [ports.git, ...args], root);
  const gitDir = out.replace(/\n$/, '');
  if (problem !== undefined || gitDir === '')
    throw new Refusal({
      code: 'workspace.git-failed',
      message: `The repository of ${root} could not be read: ${problem ?? 'git names no folder'}`,
      hint: 'Check it with: git status',
    });
  const git = which(ports.git, env) ?? ports.git;
  const none = { objectsDir: gitDir, scratchDir: gitDir, configFile: '/dev/null' };
  return { ...none, gitDir, ports: { git, clock, tag: `${tag}/read` } };
}
