import type { Clock } from '../base/clock.ts';
import { sweepCgroups } from '../host/process/cgroup.ts';
import { isOrphan } from '../host/files/process-scoped-name.ts';
import { sweepScratch } from '../host/files/scratch-folder.ts';
import { ContainerEngine } from './container-engine.ts';
import type { SandboxFacts } from './sandbox-facts.ts';
import type { Backend } from './policy.ts';
import { NAME_PREFIX } from './prepare-mounts.ts';
import { PROBE_ID } from './probes/run-probes.ts';
import { FIXTURE_PREFIX } from './probes/probe-fixture.ts';

/**
 * Removes what a dead owner has left: containers whose policy id is `idPrefix` or below it, and the cgroups and
 * scratch folders of dead owners. The reaper has already killed their processes.
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
    const engine = new ContainerEngine(backend, facts, clock, tag);
    for (const container of await engine.listOwn(idPrefix)) await engine.remove(container);
    // Canary containers belong to no policy of a run, but their names contain their owner's process.
    for (const container of await engine.listOwn(PROBE_ID))
      if (isOrphan(container, NAME_PREFIX)) await engine.remove(container);
  }
  await sweepCgroups(NAME_PREFIX, facts.cgroup);
  for (const prefix of [NAME_PREFIX, FIXTURE_PREFIX]) await sweepScratch(prefix);
}
