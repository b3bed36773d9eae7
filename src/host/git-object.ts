/** Git's form of content: a name that is its hash, and a file that holds it compressed. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflate } from 'node:zlib';

const compress = promisify(deflate);

/** The name git gives to a file with this content. */
export function blobId(content: Uint8Array): string {
  return createHash('sha1').update(blobHeader(content)).update(content).digest('hex');
}

/** A short name for a text, the same for the same text only. */
export function contentKey(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Puts content into a repository's store. With `sync` it is on the disk when this resolves. */
export async function writeBlob(
  objectsDir: string,
  content: Uint8Array,
  { sync }: { readonly sync: boolean },
): Promise<string> {
  const id = blobId(content);
  const folder = join(objectsDir, id.slice(0, 2));
  const temporary = join(folder, `tmp_obj_${randomBytes(8).toString('hex')}`);
  await mkdir(folder, { recursive: true });
  try {
    await using file = await open(temporary, 'wx', 0o444);
    const whole = Buffer.concat([blobHeader(content), content]);
    await file.writeFile(await compress(whole, { level: constants.Z_BEST_SPEED }));
    if (sync) await file.sync();
    await rename(temporary, join(folder, id.slice(2)));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error; // only the temporary file is our business here
  }
  return id;
}

function blobHeader(content: Uint8Array): Buffer {
  return Buffer.from(`blob ${content.length}\0`);
}
