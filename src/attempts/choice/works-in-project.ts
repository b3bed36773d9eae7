/** Where an agent works: in a copy of the project, or in the project itself. */
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

/**
 * True without a sandbox at the user's own request, and for scripted agents of tests. An agent of a workflow works in a
 * copy even then, because its step hands the work on as a commit.
 */
export function worksInProject(
  { inProject }: Pick<AgentSpec, 'inProject'>,
  unsafe: boolean | undefined,
): boolean {
  return inProject ?? unsafe === true;
}
