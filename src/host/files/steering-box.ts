/**
 * The messages to one role in a shared folder: `steering/<role>/<seq>.json`. A watcher adds them, and the agent's side
 * takes each once, in order. A message is claimed, handed over, and then marked as done. If its taker dies in between,
 * the claim grows old, and the message is handed over again under the same number.
 */
import { link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { writeFileAtomic } from './atomic-files.ts';
import { errnoCode } from './errno.ts';
import { readSmallFile } from './read-text-file.ts';

/** Every write. A crash in a test is one of these that throws. */
export type SteeringFiles = typeof STEERING_FILES;

export const STEERING_FILES = {
  create: async (path: string, text: string): Promise<void> => {
    await using file = await open(path, 'wx', 0o644);
    await file.writeFile(text);
    await file.sync();
  },
  link,
  rename,
  remove: (path: string): Promise<void> => rm(path, { force: true }),
};

export type TakenMessage =
  | { readonly kind: 'message'; readonly seq: number; readonly text: string }
  /** Its file is not readable. It is set aside. */
  | { readonly kind: 'unreadable'; readonly seq: number; readonly code: string };

/** What became of a message. `open`: it can't be handed over now. `refused`: it is set aside. */
export type Taking = 'done' | 'refused' | 'open';

const ROLE_ID = /^[a-z][a-z0-9_-]{0,63}$/;
const NAME = /^(\d{1,9})\.(json|claim|done|refused)$/;
const BYTES_MAX = 16_000;
/** A hook is done within seconds. */
const CLAIM_MS = 60_000;
const DONE_KEPT = 100;
const TRIES_MAX = 100;

type Numbered = ReadonlyMap<number, ReadonlySet<string>>;

export class SteeringBox {
  readonly #folder: string;
  readonly #files: SteeringFiles;

  /** `shared`: the folder that has `reports` and `steering`. */
  constructor(shared: string, role: string, files: SteeringFiles = STEERING_FILES) {
    if (!ROLE_ID.test(role)) throw new Error(`${JSON.stringify(role)} can't be the name of a role`);
    this.#folder = join(shared, 'steering', role);
    this.#files = files;
  }

  /** Adds a message under the next number. A reader sees the whole file or none. */
  async add(toText: (seq: number) => string): Promise<number> {
    await this.#prepare();
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const seq = Math.max(0, ...(await this.#numbered()).keys()) + 1;
      const temporary = join(this.#folder, `.${randomBytes(8).toString('hex')}.tmp`);
      try {
        await this.#files.create(temporary, toText(seq));
        await this.#files.link(temporary, this.#path(seq, 'json'));
        await this.#trim(seq);
        return seq;
      } catch (error) {
        if (errnoCode(error) !== 'EEXIST') throw error; // another watcher was first: the next number
      } finally {
        await rm(temporary, { force: true });
      }
    }
    throw new Error(`no number is free in ${this.#folder}`);
  }

  /** The texts of all messages that are still there, by number. */
  async texts(): Promise<ReadonlyMap<number, string>> {
    const texts = new Map<number, string>();
    for (const [seq, kinds] of await this.#numbered()) {
      if (!kinds.has('json')) continue;
      const read = await readSmallFile(this.#path(seq, 'json'), BYTES_MAX);
      if (read.kind === 'text') texts.set(seq, read.text);
    }
    return texts;
  }

  /**
   * Hands the oldest open message over. Resolves with false if there is none, if another taker has it, or if it stays
   * open: a later one never overtakes it. If `handOver` rejects, the claim grows old.
   */
  async take(now: number, handOver: (message: TakenMessage) => Promise<Taking>): Promise<boolean> {
    const numbered = await this.#numbered();
    const open = [...numbered].filter(
      ([, kinds]) => kinds.has('json') && !kinds.has('done') && !kinds.has('refused'),
    );
    const [seq, kinds] = open.toSorted(([one], [other]) => one - other)[0] ?? [];
    if (seq === undefined || kinds === undefined) return false;
    if (kinds.has('claim') && !(await this.#giveUpClaim(seq, now))) return false;
    if (!(await this.#claim(seq))) return false;
    const read = await readSmallFile(this.#path(seq, 'json'), BYTES_MAX);
    const taken: TakenMessage =
      read.kind === 'text'
        ? { kind: 'message', seq, text: read.text }
        : { kind: 'unreadable', seq, code: read.kind === 'unreadable' ? read.code : 'ENOENT' };
    const taking = await handOver(taken);
    if (taking === 'open') await this.#files.remove(this.#path(seq, 'claim'));
    else await this.#files.rename(this.#path(seq, 'claim'), this.#path(seq, taking));
    return taking !== 'open';
  }

  async #claim(seq: number): Promise<boolean> {
    try {
      await this.#files.create(this.#path(seq, 'claim'), '');
      return true;
    } catch (error) {
      if (errnoCode(error) === 'EEXIST') return false; // another taker was first
      throw error;
    }
  }

  /** Only one of several takers can move the old claim away. */
  async #giveUpClaim(seq: number, now: number): Promise<boolean> {
    const claim = this.#path(seq, 'claim');
    const found = await lstat(claim).catch(() => undefined); // it has just been moved
    if (found === undefined || now - found.mtimeMs < CLAIM_MS) return false;
    const aside = join(this.#folder, `.${randomBytes(8).toString('hex')}.old`);
    try {
      await this.#files.rename(claim, aside);
    } catch (error) {
      if (errnoCode(error) === 'ENOENT') return false; // another taker was first
      throw error;
    }
    await this.#files.remove(aside);
    return true;
  }

  /** Messages are no part of a project's history. */
  async #ignore(): Promise<void> {
    const file = join(this.#folder, '..', '.gitignore');
    await writeFileAtomic(file, '*\n', { mode: 0o644, durable: false });
  }

  async #trim(newest: number): Promise<void> {
    for (const [seq, kinds] of await this.#numbered())
      if (seq <= newest - DONE_KEPT)
        for (const kind of kinds) await this.#files.remove(this.#path(seq, kind));
  }

  async #prepare(): Promise<void> {
    for (const folder of [join(this.#folder, '..'), this.#folder]) {
      await mkdir(folder, { mode: 0o755 }).catch((error: unknown) => {
        if (errnoCode(error) !== 'EEXIST') throw error; // whether it is a folder is checked next
      });
      if (!(await isFolder(folder)))
        throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' });
    }
    await this.#ignore();
  }

  /** A link is not followed: a project could point it anywhere. */
  async #numbered(): Promise<Numbered> {
    const isReal = (await isFolder(join(this.#folder, '..'))) && (await isFolder(this.#folder));
    const names = isReal ? await readdir(this.#folder) : [];
    const numbered = new Map<number, Set<string>>();
    for (const name of names) {
      const [, seq, kind] = NAME.exec(name) ?? [];
      if (seq === undefined || kind === undefined) continue;
      const kinds = numbered.get(Number(seq)) ?? new Set();
      numbered.set(Number(seq), kinds.add(kind));
    }
    return numbered;
  }

  #path(seq: number, kind: string): string {
    return join(this.#folder, `${seq}.${kind}`);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoCode(error))) return false;
    throw error; // it exists and can't be inspected
  }
}
