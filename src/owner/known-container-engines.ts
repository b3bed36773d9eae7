/**
 * The container engines in which this home may have containers. Querying an engine is slow, so the
 * owner queries only these.
 */
import { isRecord, parseJson } from '../base/json.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import type { Home } from '../host/machine/state-home.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import type { BackendRequest } from '../sandbox/choose-backend.ts';

export type ImageBackend = 'docker' | 'podman';

const IMAGE_BACKENDS: readonly ImageBackend[] = ['docker', 'podman'];
const BYTES_MAX = 10_000;

/** Call this before the first container is created, so that no container is missed. */
export async function recordContainerEngine(
  home: Home,
  { backend, image }: BackendRequest,
): Promise<void> {
  if (image === null) return;
  const requested = IMAGE_BACKENDS.filter((name) => backend === 'auto' || backend === name);
  const known = await knownContainerEngines(home);
  if (requested.every((name) => known.includes(name))) return;
  const engines = IMAGE_BACKENDS.filter((name) => known.includes(name) || requested.includes(name));
  await writeFileAtomic(enginesFile(home), `${JSON.stringify({ engines })}\n`);
}

export async function knownContainerEngines(home: Home): Promise<readonly ImageBackend[]> {
  const found = parseJson((await readTextFile(enginesFile(home), BYTES_MAX)) ?? '');
  const engines = isRecord(found) ? found['engines'] : [];
  return Array.isArray(engines) ? IMAGE_BACKENDS.filter((name) => engines.includes(name)) : [];
}

function enginesFile({ dir }: Home): string {
  return `${dir}/engines.json`;
}
