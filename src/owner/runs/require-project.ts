/**
 * Checks, before a run exists, that its project can be copied into a workspace. Without this check, every agent of the
 * chain would be tried, and each would fail for the same reason.
 */
import { Refusal } from '../../base/errors.ts';
import { worksInProject } from '../../attempts/choice/works-in-project.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { realPath } from '../../host/files/real-path.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import { inspectProject } from '../../workspace/project.ts';

/** Refuses to resume a run whose folder is gone: its agents would have nothing to work on. */
export async function requireFolder(run: string, project: string): Promise<void> {
  if ((await realPath(project)) !== undefined) return;
  throw new Refusal({
    code: 'workspace.unsupported',
    message: `Run ${run} cannot be resumed: the folder of its project, ${project}, does not exist any more.`,
    hint: `Restore the folder first. See what the run did with: supervisor why ${run}`,
  });
}

/** Refuses a bare repository, one that git does not accept, and a folder that is too broad. */
export async function requireProject(
  { project, settings: { agent, chain = [agent], unsafe = false } }: Submission,
  { git, clock, tagOf, stateDir, userDir }: ExecutionHost,
): Promise<void> {
  // These agents work directly in the folder.
  if (chain.every((one) => worksInProject(one, unsafe))) return;
  const ports = { git, clock, tag: tagOf('submission', 'project'), userHome: userDir };
  await inspectProject(ports, { path: project, home: stateDir });
}
