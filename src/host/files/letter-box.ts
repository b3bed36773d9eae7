/** A folder with files for one agent: Supervisor writes them, and the agent can only read them. */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from './atomic-files.ts';

/** Inside the sandbox the agent is another user. Outside, the folder above is closed to others. */
const READABLE = { folder: 0o755, file: 0o644 };

export class LetterBox implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Creates it empty: an earlier one at this path is deleted. */
  static async create(path: string): Promise<LetterBox> {
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true, mode: READABLE.folder });
    await chmod(path, READABLE.folder); // independent of the umask
    return new LetterBox(path);
  }

  /** A reader sees the whole file or none. */
  async put(name: string, text: string): Promise<void> {
    await writeFileAtomic(join(this.path, name), text, { mode: READABLE.file, durable: false });
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
