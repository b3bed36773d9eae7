/** Refuses a feature whose integration branch could not be made. It would be known only after the first component. */
import { Refusal, isRefusal } from '../../base/errors.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { realPath } from '../../host/files/real-path.ts';
import type { FoundFolder } from '../../plan/locate-projects.ts';
import type { FeatureSubmission } from '../../protocol/run-submission.ts';
import { branchTip } from '../../workspace/apply/apply-to-branch.ts';
import type { Project } from '../../workspace/project.ts';
import { inspectProject } from '../../workspace/project.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';

type Host = Pick<ExecutionHost, 'git' | 'clock' | 'tagOf' | 'stateDir' | 'userDir'>;

/** In every project that the feature spans. */
export async function requireBranch(
  { project, settings: { feature } }: FeatureSubmission,
  host: Host,
): Promise<void> {
  const others = Object.values(feature.projects ?? {}).map(({ path }) => path);
  const { branch } = feature;
  for (const path of [project, ...others]) {
    const inspected = await inspect(path, host);
    if (inspected.kind !== 'git' || inspected.head === undefined)
      throw new Refusal({
        code: 'workspace.unsupported',
        message: `A feature becomes commits on a branch, and ${path} is not a git repository with a commit.`,
        hint: CREATE,
      });
    if ((await branchTip(inspected, portsOf(host), branch)) === undefined) continue;
    const where = others.length === 0 ? '' : ` in ${path}`;
    throw new Refusal({
      code: 'workspace.branch-exists',
      message: `The branch ${branch} exists already${where}, and a feature needs a new one.`,
      hint: `Delete it with: git branch -D ${branch}. Or give the feature another id.`,
      details: { branch },
    });
  }
}

const CREATE = 'Create one with: git init && git add -A && git commit -m "First commit"';

/** What a feature would commit to at this path. */
export async function lookForRepository(path: string, host: Host): Promise<FoundFolder> {
  try {
    const found = await inspect(path, host);
    if (found.kind !== 'git') return unusable(`${path} is not a git repository`);
    if (found.head === undefined) return unusable(`${path} has no commit yet`);
    const { root, inside, commonDir } = found;
    const refs = (await realPath(commonDir)) ?? commonDir; // a `.git` may be a link
    return { kind: 'repository', root, refs, path: inside === '' ? root : `${root}/${inside}` };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return unusable(error.message.replace(/\.$/, ''));
  }
}

function unusable(why: string): FoundFolder {
  return { kind: 'unusable', why };
}

function inspect(path: string, host: Host): Promise<Project> {
  return inspectProject(portsOf(host), { path, home: host.stateDir });
}

function portsOf({ git, clock, tagOf, userDir }: Host): WorkspacePorts {
  return { git, clock, tag: tagOf('submission', 'feature'), userHome: userDir };
}
