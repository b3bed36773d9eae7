/**
 * The folder `reports` of an organization: the latest report of each role, and an archive with a bound. Readers are other
 * programs, so every file appears whole. No part of the path may be a link, because a project could point it anywhere.
 */
import { lstat, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from './atomic-files.ts';
import { errnoCode } from './errno.ts';
import { listFolder } from './list-folder.ts';

/** Other users of the machine may run the agents that read them. */
const MODE = { folder: 0o755, file: 0o644 } as const;
const ARCHIVED_MAX = 100;
const ID = /^[a-z][a-z0-9_-]{0,63}$/;

export type ReportKind = 'latest' | 'assessment';

export class ReportFolder {
  readonly #folder: string;
  #isReady = false;

  /** `organization`: the folder that has `active.json`. */
  constructor(organization: string) {
    this.#folder = join(organization, 'reports');
  }

  /** `at`: the time of the report, for its name in the archive. */
  async write(role: string, kind: ReportKind, value: unknown, at: number): Promise<void> {
    if (!ID.test(role)) throw new Error(`${JSON.stringify(role)} can't be the name of a report`);
    await this.prepare();
    const text = `${JSON.stringify(value, null, 2)}\n`;
    const archive = join(this.#folder, 'archive');
    const prefix = kind === 'latest' ? `${role}_` : `${role}_assessment_`;
    const stamp = new Date(at).toISOString().replaceAll(/[-:.]/g, '');
    const options = { mode: MODE.file, durable: false };
    await writeFileAtomic(join(archive, `${prefix}${stamp}.json`), text, options);
    await writeFileAtomic(join(this.#folder, `${role}_${kind}.json`), text, options);
    await this.#trim(archive, prefix);
  }

  /** Creates the folder if it is missing. */
  async prepare(): Promise<void> {
    if (this.#isReady) return;
    const organization = dirname(this.#folder);
    await requireFolder(dirname(organization));
    await requireFolder(organization);
    for (const folder of [this.#folder, join(this.#folder, 'archive')]) {
      await mkdir(folder, { mode: MODE.folder }).catch((error: unknown) => {
        if (errnoCode(error) !== 'EEXIST') throw error; // it exists: whether it is a folder is checked next
      });
      await requireFolder(folder);
    }
    // Reports are no part of the project's history.
    await writeFileAtomic(join(this.#folder, '.gitignore'), '*\n', {
      ...{ mode: MODE.file, durable: false },
    });
    this.#isReady = true;
  }

  /** Names begin with the role and a time, so the oldest come first. */
  async #trim(archive: string, prefix: string): Promise<void> {
    const own = (await listFolder(archive)).filter(
      (name) => name.startsWith(prefix) && /^\d{8}T\d{9}Z\.json$/.test(name.slice(prefix.length)),
    );
    for (const name of own.slice(0, -ARCHIVED_MAX)) await rm(join(archive, name), { force: true });
  }
}

async function requireFolder(path: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isDirectory())
    throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR', path });
}
