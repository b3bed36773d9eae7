/** Git's object format: a name that is the hash of the content, and a compressed file. */
import { createHash, randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflate, deflateSync } from 'node:zlib';
import { makeFoldersSync } from '../files/make-folders.ts';

const compress = promisify(deflate);

/** Git's name for a file with this content. */
export function blobId(content: Uint8Array): string {
  return createHash('sha1').update(blobHeader(content)).update(content).digest('hex');
}

/** A short key that is equal only for equal texts. */
export function contentKey(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** A smaller file is written synchronously, because passing it to another thread would take longer. */
const SMALL_BYTES = 100_000;

/** Writes content into a repository's object store. It is durable only after git has packed it. */
export async function writeBlob(objectsDir: string, content: Uint8Array): Promise<string> {
  const id = blobId(content);
  const folder = join(objectsDir, id.slice(0, 2));
  const temporary = join(folder, `tmp_obj_${randomBytes(8).toString('hex')}`);
  const whole = Buffer.concat([blobHeader(content), content]);
  const level = { level: constants.Z_BEST_SPEED };
  try {
    makeFoldersSync(folder);
    const options = { mode: 0o444, flag: 'wx' };
    if (whole.length < SMALL_BYTES) writeFileSync(temporary, deflateSync(whole, level), options);
    else await writeFile(temporary, await compress(whole, level), options);
    renameSync(temporary, join(folder, id.slice(2)));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error; // only the temporary file is removed here
  }
  return id;
}

function blobHeader(content: Uint8Array): Buffer {
  return Buffer.from(`blob ${content.length}\0`);
}
