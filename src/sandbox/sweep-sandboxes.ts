import type { Clock } from '../base/clock.ts';
import { sweepCgroups } from '../host/cgroup.ts';
import { sweepScratch } from '../host/scratch-folder.ts';
import { Engine } from './engine.ts';
import type { SandboxFacts } from './facts.ts';
import type { Backend } from './policy.ts';
import { NAME_PREFIX } from './prepare-place.ts';

/**
 * Clears away what an owner that died has left: containers whose policy's id is `idPrefix` or under it,
 * and the cgroups and scratch folders of owners that are gone. Its processes have ended with it.
 */
export async function sweepSandboxes(
  idPrefix: string,
  backends: readonly Backend[],
  facts: SandboxFacts,
  clock: Clock,
  tag: string,
): Promise<void> {
  for (const backend of backends) {
    if (backend !== 'docker' && backend !== 'podman') continue;
    const engine = new Engine(backend, facts, clock, tag);
    for (const container of await engine.ours(idPrefix)) await engine.remove(container);
  }
  await sweepCgroups(NAME_PREFIX, facts.cgroup);
  await sweepScratch(NAME_PREFIX);
}
