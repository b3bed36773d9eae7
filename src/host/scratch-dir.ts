import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A fresh folder inside another, gone with all that is in it at the end of the scope. */
export async function scratchDir(
  parent: string,
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(parent, 'scratch-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
