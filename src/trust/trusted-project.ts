/**
 * A project whose `.supervisor` folder may be used. The readers of its settings, roles, templates and strategies
 * all require this value. For a run, only the check in `open` creates one. It returns the bytes that were hashed, so a
 * later change of a file has no effect.
 */
import { dirname, join, resolve } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { shellWord } from '../base/shell-words.ts';
import type { FolderEntry } from '../host/files/read-folder.ts';
import { realPath } from '../host/files/real-path.ts';
import type { ProjectFolder } from './project-folder.ts';
import { hashFolder, PROJECT_FOLDER, readProjectFolder } from './project-folder.ts';
import { readTrust } from './trust-store.ts';

export type TrustOptions = {
  /** The directory of the user's state, `$SUPERVISOR_HOME`. */
  readonly home: string;
  readonly project: string;
  /** Use only the user's own settings. The folder is ignored and needs no trust. */
  readonly untrusted?: boolean;
};

/** The texts of files, by their path on this machine. */
export type FileTexts = {
  readonly read: (path: string, bytesMax: number) => Promise<string | undefined>;
  readonly list: (folder: string) => Promise<readonly string[]>;
};

export class TrustedProject {
  /** The project's path, as the caller wrote it. */
  readonly root: string;
  /** The folder exists, and the user chose not to use it. */
  readonly isLeftOut: boolean;
  readonly #entries: ReadonlyMap<string, FolderEntry>;

  private constructor(
    root: string,
    entries: readonly FolderEntry[],
    { isLeftOut = false }: { readonly isLeftOut?: boolean } = {},
  ) {
    this.root = root;
    this.isLeftOut = isLeftOut;
    this.#entries = new Map(entries.map((entry) => [entry.path, entry]));
  }

  /** Refuses with `project.untrusted` unless the user trusted the folder exactly as it is now. */
  static async open({ home, project, untrusted }: TrustOptions): Promise<TrustedProject> {
    const found = await readTrustState({ home, project });
    switch (found.kind) {
      case 'none':
        return new TrustedProject(project, []);
      case 'trusted':
      case 'new':
      case 'changed':
        if (untrusted === true) return new TrustedProject(project, [], { isLeftOut: true });
        if (found.kind === 'trusted') return new TrustedProject(project, found.folder.entries);
        throw untrustedProject(found.project, found.kind);
    }
  }

  /** For a check of the files before the user decides. Start nothing with its settings. */
  static toCheck(project: string, { entries }: ProjectFolder): TrustedProject {
    return new TrustedProject(project, entries);
  }

  /** For tests: texts that are not on a disk. */
  static fromTexts(root: string, texts: Readonly<Record<string, string>>): TrustedProject {
    const files = Object.entries(texts).map(([path, text]) => ({
      kind: 'file' as const,
      path,
      mode: 0o644,
      bytes: Buffer.from(text),
    }));
    return new TrustedProject(root, hashFolder(files).entries);
  }

  /** Whether a path is the folder or inside it. Links are not resolved. */
  holds(path: string): boolean {
    const folder = join(this.root, PROJECT_FOLDER);
    return path === folder || path.startsWith(`${folder}/`);
  }

  /** The bytes of a file of the folder. Undefined if there is none. A link is refused. */
  readBytes(path: string): Uint8Array | undefined {
    const entry = this.#entryAt(path);
    if (entry === undefined || entry.kind === 'folder') return undefined;
    if (entry.kind === 'file') return entry.bytes;
    throw notAFile(join(this.root, PROJECT_FOLDER, path), 'is neither a file nor a folder');
  }

  /** Reads the files of the folder from the checked bytes, and all others from `elsewhere`. */
  over(elsewhere: FileTexts): FileTexts {
    const inside = (path: string): string =>
      path.slice(join(this.root, PROJECT_FOLDER).length + 1).replace(/\/$/, '');
    return {
      read: async (path, bytesMax) => {
        if (!this.holds(path)) return elsewhere.read(path, bytesMax);
        const bytes = this.readBytes(inside(path));
        return bytes === undefined
          ? undefined
          : Buffer.from(bytes.subarray(0, bytesMax + 1)).toString('utf8');
      },
      list: async (folder) => {
        if (!this.holds(folder)) return elsewhere.list(folder);
        return this.#namesIn(inside(folder));
      },
    };
  }

  /** Links are listed too, so that a link among the roles is refused and not overlooked. */
  #namesIn(folder: string): readonly string[] {
    this.#entryAt(folder);
    return [...this.#entries.values()]
      .filter(({ path, kind }) => kind !== 'folder' && path !== '')
      .filter(({ path }) => (path.includes('/') ? dirname(path) : '') === folder)
      .map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  }

  #entryAt(path: string): FolderEntry | undefined {
    const parts = path === '' ? [] : path.split('/');
    for (let length = 0; length <= parts.length; length += 1) {
      const part = parts.slice(0, length).join('/');
      if (this.#entries.get(part)?.kind === 'link')
        throw notAFile(join(this.root, PROJECT_FOLDER, part), 'is a symbolic link');
    }
    return this.#entries.get(path);
  }
}

export type TrustState =
  /** There is no folder, or it is the user's own state folder. */
  | { readonly kind: 'none'; readonly project: string }
  | {
      readonly kind: 'trusted' | 'new' | 'changed';
      /** The real path, without links. */
      readonly project: string;
      readonly folder: ProjectFolder;
    };

/** Compares the folder of a project with what the user trusted. Changes nothing. */
export async function readTrustState({
  home,
  project,
}: Pick<TrustOptions, 'home' | 'project'>): Promise<TrustState> {
  const real = (await realPath(project)) ?? resolve(project);
  const own = join(real, PROJECT_FOLDER);
  const homes = [resolve(home), await realPath(home)];
  // In the user's home folder, the folder of the project is the user's state folder.
  if (homes.includes(own) || homes.includes(resolve(project, PROJECT_FOLDER)))
    return { kind: 'none', project: real };
  const folder = await readProjectFolder(real);
  if (folder === undefined) return { kind: 'none', project: real };
  const record = await readTrust(home, real);
  const kind = record === undefined ? 'new' : record.hash === folder.hash ? 'trusted' : 'changed';
  return { kind, project: real, folder };
}

function untrustedProject(project: string, kind: 'new' | 'changed'): Refusal {
  const what =
    kind === 'new'
      ? 'has its own settings, which you have not trusted'
      : 'has its own settings, which changed since you trusted them';
  return new Refusal({
    code: 'project.untrusted',
    message: `${project} ${what}: ${join(project, PROJECT_FOLDER)}.`,
    hint: `Review and trust them with: supervisor trust ${shellWord(project)} (or ignore them with --untrusted)`,
    details: { project },
  });
}

function notAFile(path: string, what: string): Refusal {
  return new Refusal({
    code: 'config.unreadable',
    message: `${path} ${what}. It is not read, because its content is not what you trusted.`,
    hint: 'Put the file itself there.',
    details: { file: path },
  });
}
