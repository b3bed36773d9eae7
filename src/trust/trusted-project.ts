/**
 * A project whose `.supervisor` folder may be used. There is no other way to its settings, roles, templates and
 * strategies: each of them takes this value, and only the check in `open` makes one. What it gives are the
 * bytes that were hashed, so a file that changes afterwards changes nothing.
 */
import { dirname, join, resolve } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { FolderEntry } from '../host/files/read-folder.ts';
import { realPath } from '../host/files/real-path.ts';
import type { ProjectFolder } from './project-folder.ts';
import { projectFolderOf, PROJECT_FOLDER, readProjectFolder } from './project-folder.ts';
import { readTrust } from './trust-store.ts';

export type TrustOptions = {
  /** The directory of the user's state, `$SUPERVISOR_HOME`. */
  readonly home: string;
  readonly project: string;
  /** The user's own settings alone: nothing of the folder is used, and nothing of it need be trusted. */
  readonly untrusted?: boolean;
};

/** The texts of files, by their path on this machine. */
export type FileTexts = {
  readonly read: (path: string, bytesMax: number) => Promise<string | undefined>;
  readonly list: (folder: string) => Promise<readonly string[]>;
};

export class TrustedProject {
  /** The project's path, as its caller named it. */
  readonly root: string;
  /** The folder is there, and the user chose not to use it. */
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

  /** For texts that never were on a disk, in tests. */
  static ofTexts(root: string, texts: Readonly<Record<string, string>>): TrustedProject {
    const files = Object.entries(texts).map(([path, text]) => ({
      kind: 'file' as const,
      path,
      mode: 0o644,
      bytes: Buffer.from(text),
    }));
    return new TrustedProject(root, projectFolderOf(files).entries);
  }

  /** Whether a path of this machine, links left aside, is the folder or lies in it. */
  holds(path: string): boolean {
    const folder = join(this.root, PROJECT_FOLDER);
    return path === folder || path.startsWith(`${folder}/`);
  }

  /** The bytes of a file of the folder. Undefined when there is none; a link is refused. */
  bytesOf(path: string): Uint8Array | undefined {
    const entry = this.#entryAt(path);
    if (entry === undefined || entry.kind === 'folder') return undefined;
    if (entry.kind === 'file') return entry.bytes;
    throw notAFile(join(this.root, PROJECT_FOLDER, path), 'is neither a file nor a folder');
  }

  /** The files of the folder from what was checked, all others from `elsewhere`. */
  over(elsewhere: FileTexts): FileTexts {
    const inside = (path: string): string =>
      path.slice(join(this.root, PROJECT_FOLDER).length + 1).replace(/\/$/, '');
    return {
      read: async (path, bytesMax) => {
        if (!this.holds(path)) return elsewhere.read(path, bytesMax);
        const bytes = this.bytesOf(inside(path));
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

  /** What is no folder is listed too: a link among the roles is then refused, not overlooked. */
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
  /** There is no folder, or it is the user's own. */
  | { readonly kind: 'none'; readonly project: string }
  | {
      readonly kind: 'trusted' | 'new' | 'changed';
      /** With no link in it. */
      readonly project: string;
      readonly folder: ProjectFolder;
    };

/** How the folder of a project stands to what the user trusted. Changes nothing. */
export async function readTrustState({
  home,
  project,
}: Pick<TrustOptions, 'home' | 'project'>): Promise<TrustState> {
  const real = (await realPath(project)) ?? resolve(project);
  const own = join(real, PROJECT_FOLDER);
  const homes = [resolve(home), await realPath(home)];
  // In the user's own folder, the folder of the project is that of their state.
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
      ? 'has settings of its own that you have not trusted'
      : 'has settings of its own that changed since you trusted them';
  return new Refusal({
    code: 'project.untrusted',
    message: `${project} ${what}: ${join(project, PROJECT_FOLDER)}.`,
    hint: `Look at them and trust them with: supervisor trust ${shellWord(project)} (or leave them out with --untrusted)`,
    details: { project },
  });
}

/** A path as one would type it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function notAFile(path: string, what: string): Refusal {
  return new Refusal({
    code: 'config.unreadable',
    message: `${path} ${what}, which is not followed: its content is not what was trusted.`,
    hint: 'Put the file itself there.',
    details: { file: path },
  });
}
