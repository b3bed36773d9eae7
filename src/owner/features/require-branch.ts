/** Refuses a feature whose integration branch could not be made. It would be known only after the first component. */
import { Refusal } from '../../base/errors.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { FeatureSubmission } from '../../protocol/run-submission.ts';
import { branchTip } from '../../workspace/apply/apply-to-branch.ts';
import { inspectProject } from '../../workspace/project.ts';

export async function requireBranch(
  { project: path, settings }: FeatureSubmission,
  { git, clock, tagOf, stateDir, userDir }: ExecutionHost,
): Promise<void> {
  const ports = { git, clock, tag: tagOf('submission', 'feature'), userHome: userDir };
  const project = await inspectProject(ports, { path, home: stateDir });
  if (project.kind !== 'git' || project.head === undefined)
    throw new Refusal({
      code: 'workspace.unsupported',
      message: `A feature becomes commits on a branch, and ${path} is not a git repository with a commit.`,
      hint: 'Create one with: git init && git add -A && git commit -m "First commit"',
    });
  const { branch } = settings.feature;
  if ((await branchTip(project, ports, branch)) === undefined) return;
  throw new Refusal({
    code: 'workspace.branch-exists',
    message: `The branch ${branch} exists already, and a feature needs a new one.`,
    hint: `Delete it with: git branch -D ${branch}. Or give the feature another id.`,
    details: { branch },
  });
}
