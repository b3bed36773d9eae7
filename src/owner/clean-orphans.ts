/**
 * Removes what the sandboxed attempts of a dead owner left: containers, cgroups, scratch folders,
 * sockets, locks.
 */
import { join } from 'node:path';
import { isHalfWritten } from '../host/files/atomic-files.ts';
import type { Home } from '../host/machine/state-home.ts';
import { removeFile } from '../host/files/read-text-file.ts';
import { listTreeFolder } from '../host/files/tree/read-tree.ts';
import { gatewaySocketPath } from '../execution/model-gateway/model-gateway.ts';
import type { Settings } from '../settings/settings.ts';
import { probeFacts } from '../sandbox/probe-facts.ts';
import { sweepSandboxes } from '../sandbox/sweep-sandboxes.ts';
import { sweepPartials } from '../workspace/setups/setup-store.ts';
import { recoverOrphans } from '../workspace/recover.ts';
import { knownContainerEngines, recordContainerEngine } from './known-container-engines.ts';
import type { OwnerOptions } from './owner-options.ts';
import { workspacePorts } from './execution-host.ts';
import { ownerTag } from './owner-state.ts';

/** Only the owner may call this, while no process of this home runs. */
export async function cleanOrphans(
  options: OwnerOptions,
  { backend, image }: Settings['sandbox'],
): Promise<void> {
  const { home, env, clock } = options;
  const facts = probeFacts(env);
  await recordContainerEngine(home, { backend, image, unsafe: false });
  const engines = (await knownContainerEngines(home)).filter(
    (name) => facts.tools[name] !== undefined,
  );
  await sweepSandboxes(home.id, engines, facts, clock, `${ownerTag(options)}/sweep`);
  await sweepPartials(home.dir);
  await sweepFiles(home);
  await recoverOrphans(home.dir, workspacePorts(options));
}

/** Removes sockets of gateways, and files whose writer died before it finished them. */
async function sweepFiles({ dir, socketDir, id }: Home): Promise<void> {
  for (const { name } of (await listTreeFolder(socketDir, '')) ?? [])
    if (gatewaySocketPath(id).test(name)) await removeFile(join(socketDir, name));
  for (const { name } of (await listTreeFolder(dir, '')) ?? [])
    if (isHalfWritten(name)) await removeFile(join(dir, name));
}
