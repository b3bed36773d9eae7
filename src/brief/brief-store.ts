/**
 * Stores the prompts of briefs once, by hash. A run names the hash, so a later attempt, a resumed run
 * and a fork get the same bytes, and the journal stores none of them.
 */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { hashText } from '../base/hash-text.ts';
import { readTextFile } from '../host/files/read-text-file.ts';

/** Far above the largest token budget. It bounds templates that produce too much text. */
const BRIEF_BYTES_MAX = 2_000_000;

export class BriefStore {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Resolves with the hash once the text is on the disk. */
  async save(text: string): Promise<string> {
    const bytes = Buffer.byteLength(text);
    if (bytes > BRIEF_BYTES_MAX)
      throw new Refusal({
        code: 'context.too-large',
        message: `The prompt has ${bytes} bytes. The limit is ${BRIEF_BYTES_MAX}.`,
        hint: 'Shorten the task or the template of the role.',
      });
    const hash = hashText(text);
    await ensurePrivateDir(this.#dir);
    await writeFileAtomic(this.#path(hash), text);
    return hash;
  }

  /** Refuses a prompt that changed since it was stored, because no check has seen the new text. */
  async read(hash: string): Promise<string> {
    const text = /^[0-9a-f]{64}$/.test(hash)
      ? await readTextFile(this.#path(hash), BRIEF_BYTES_MAX)
      : undefined;
    if (text !== undefined && hashText(text) === hash) return text;
    throw new Refusal({
      code: 'context.unavailable',
      message: `The prompt ${hash.slice(0, 12)} of this run ${text === undefined ? 'is missing' : 'has changed since it was stored'}.`,
      hint: 'Submit the task again with: supervisor run "…" --role …',
    });
  }

  #path(hash: string): string {
    return join(this.#dir, `${hash}.md`);
  }
}
