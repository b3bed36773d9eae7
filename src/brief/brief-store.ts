/**
 * Prompts of briefs, each kept once under its hash: a run names the hash, so a later attempt, a
 * resumed run and a fork are given the same bytes, and the journal holds none of them.
 */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { hashText } from '../base/hash-text.ts';
import { readTextFile } from '../host/files/read-text-file.ts';

/** The largest budget of tokens is far below this; a template could still be endless. */
const BRIEF_BYTES_MAX = 2_000_000;

export class BriefStore {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Resolves with the hash once the text is on the disk. */
  async keep(text: string): Promise<string> {
    const bytes = Buffer.byteLength(text);
    if (bytes > BRIEF_BYTES_MAX)
      throw new Refusal({
        code: 'context.too-large',
        message: `the prompt has ${bytes} bytes, where ${BRIEF_BYTES_MAX} are allowed`,
        hint: 'Shorten the task or the template of the role.',
      });
    const hash = hashText(text);
    await ensurePrivateDir(this.#dir);
    await writeFileAtomic(this.#fileOf(hash), text);
    return hash;
  }

  /** What is not as it was kept is refused: nobody has checked what such a prompt would ask for. */
  async read(hash: string): Promise<string> {
    const text = /^[0-9a-f]{64}$/.test(hash)
      ? await readTextFile(this.#fileOf(hash), BRIEF_BYTES_MAX)
      : undefined;
    if (text !== undefined && hashText(text) === hash) return text;
    throw new Refusal({
      code: 'context.unavailable',
      message: `the prompt ${hash.slice(0, 12)} of this run is ${text === undefined ? 'gone' : 'not as it was kept'}`,
      hint: 'Submit the task again with: supervisor run "…" --role …',
    });
  }

  #fileOf(hash: string): string {
    return join(this.#dir, `${hash}.md`);
  }
}
