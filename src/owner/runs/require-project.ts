/**
 * Checks, before a run exists, that its project can be copied into a workspace. Without this check, every agent of the
 * chain would be tried, and each would fail for the same reason.
 */
import { worksInProject } from '../../attempts/works-in-project.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import { inspectProject } from '../../workspace/project.ts';

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
