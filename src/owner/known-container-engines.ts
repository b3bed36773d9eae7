/** Which container engines this home may have containers in: asking one takes its time, so only those are asked. */
import { isRecord, parseJson } from '../base/json.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import type { Home } from '../host/machine/state-home.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import type { BackendRequest } from '../sandbox/choose-backend.ts';

export type ImageBackend = 'docker' | 'podman';

const IMAGE_BACKENDS: readonly ImageBackend[] = ['docker', 'podman'];
const BYTES_MAX = 10_000;

/** Written before the first container is made, so that none is forgotten. */
export async function recordContainerEngine(
  home: Home,
  { backend, image }: BackendRequest,
): Promise<void> {
  if (image === null) return;
  const wanted = IMAGE_BACKENDS.filter((name) => backend === 'auto' || backend === name);
  const known = await knownContainerEngines(home);
  if (wanted.every((name) => known.includes(name))) return;
  const engines = IMAGE_BACKENDS.filter((name) => known.includes(name) || wanted.includes(name));
  await writeFileAtomic(fileOf(home), `${JSON.stringify({ engines })}\n`);
}

export async function knownContainerEngines(home: Home): Promise<readonly ImageBackend[]> {
  const found = parseJson((await readTextFile(fileOf(home), BYTES_MAX)) ?? '');
  const engines = isRecord(found) ? found['engines'] : [];
  return Array.isArray(engines) ? IMAGE_BACKENDS.filter((name) => engines.includes(name)) : [];
}

function fileOf({ dir }: Home): string {
  return `${dir}/engines.json`;
}
