/** What a dead owner's contained attempts have left: containers, cgroups, scratch folders, sockets. */
import { join } from 'node:path';
import type { Home } from '../host/home.ts';
import { removeFile } from '../host/read-text-file.ts';
import { listFolder } from '../host/tree-read.ts';
import { gatewaySocketOf } from '../attempts/model-gateway.ts';
import type { Settings } from '../protocol/settings.ts';
import { probeFacts } from '../sandbox/probe-facts.ts';
import { sweepSandboxes } from '../sandbox/sweep-sandboxes.ts';
import { sweepPartials } from '../workspace/setup-store.ts';
import type { OwnerOptions } from './owner.ts';
import { tagOfHome } from './state-hold.ts';

const IMAGE_BACKENDS = ['docker', 'podman'] as const;

/** To be called while nothing of this home runs: only its owner may. */
export async function sweepPlaces(
  { home, env, clock }: OwnerOptions,
  { backend, image }: Settings['sandbox'],
): Promise<void> {
  const facts = probeFacts(env);
  // Asking an engine takes its time, so it is done only where one may have been used.
  const engines = IMAGE_BACKENDS.filter(
    (name) =>
      facts.tools[name] !== undefined && image !== null && (backend === 'auto' || backend === name),
  );
  await sweepSandboxes(home.id, engines, facts, clock, `${tagOfHome(home)}/sweep`);
  await sweepSockets(home);
  await sweepPartials(home.dir);
}

async function sweepSockets({ socketDir, id }: Home): Promise<void> {
  for (const { name } of (await listFolder(socketDir, '')) ?? [])
    if (gatewaySocketOf(id).test(name)) await removeFile(join(socketDir, name));
}
