/** What a dead owner's contained attempts have left: containers, cgroups, scratch folders, sockets, locks. */
import { join } from 'node:path';
import { isHalfWritten } from '../host/files.ts';
import type { Home } from '../host/home.ts';
import { removeFile } from '../host/read-text-file.ts';
import { listFolder } from '../host/tree-read.ts';
import { gatewaySocketOf } from '../attempts/model-gateway.ts';
import type { Settings } from '../protocol/settings.ts';
import { probeFacts } from '../sandbox/probe-facts.ts';
import { sweepSandboxes } from '../sandbox/sweep-sandboxes.ts';
import { sweepPartials } from '../workspace/setup-store.ts';
import { recoverFromTheDead } from '../workspace/recover.ts';
import { enginesUsed, noteEngines } from './engines-used.ts';
import type { OwnerOptions } from './owner-options.ts';
import { workspacePortsOf } from './places.ts';
import { tagOfOwner } from './state-hold.ts';

/** To be called while nothing of this home runs: only its owner may. */
export async function sweepPlaces(
  options: OwnerOptions,
  { backend, image }: Settings['sandbox'],
): Promise<void> {
  const { home, env, clock } = options;
  const facts = probeFacts(env);
  await noteEngines(home, { backend, image, unsafe: false });
  const engines = (await enginesUsed(home)).filter((name) => facts.tools[name] !== undefined);
  await sweepSandboxes(home.id, engines, facts, clock, `${tagOfOwner(options)}/sweep`);
  await sweepPartials(home.dir);
  await sweepFiles(home);
  await recoverFromTheDead(home.dir, workspacePortsOf(options));
}

/** Sockets of gateways, and files that nobody will finish writing. */
async function sweepFiles({ dir, socketDir, id }: Home): Promise<void> {
  for (const { name } of (await listFolder(socketDir, '')) ?? [])
    if (gatewaySocketOf(id).test(name)) await removeFile(join(socketDir, name));
  for (const { name } of (await listFolder(dir, '')) ?? [])
    if (isHalfWritten(name)) await removeFile(join(dir, name));
}
