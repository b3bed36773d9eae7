/** Where an agent works: in a copy of the project, or in the project itself. */
import type { AgentSpec } from '../protocol/pinned-settings.ts';

/** True without a sandbox at the user's own request, and for scripted agents of tests. */
export function worksInProject(
  { inProject }: Pick<AgentSpec, 'inProject'>,
  unsafe: boolean | undefined,
): boolean {
  return unsafe === true || inProject === true;
}
