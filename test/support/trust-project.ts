/** A test project that its user trusts as it is. */
import type { Instant } from '../../src/base/clock.ts';
import { readTrustState, TrustedProject } from '../../src/trust/trusted-project.ts';
import { writeTrust } from '../../src/trust/trust-store.ts';

/** Does what `supervisor trust` does. Does nothing if there is nothing to trust. */
export async function trustProject(home: string, project: string): Promise<void> {
  const state = await readTrustState({ home, project });
  if (state.kind !== 'none') await writeTrust(home, state.project, state.folder, 0 as Instant);
}

export async function openTrustedProject(home: string, project: string): Promise<TrustedProject> {
  await trustProject(home, project);
  return TrustedProject.open({ home, project });
}
