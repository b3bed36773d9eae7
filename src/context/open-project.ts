import { gitOutput } from '../host/git/git-output.ts';
import { hashText } from '../base/hash-text.ts';
import { listTree } from '../host/files/tree/list-tree.ts';
import { TreeReader } from '../host/files/tree/tree-reader.ts';
import type { ContextDiff } from '../settings/role-file.ts';
import type { ContextCache } from './context-cache.ts';
import { FILE_BYTES_MAX, excludeByPath, excludeByText } from './exclude.ts';
import type { FileMention } from './exclude.ts';
import type { ProjectChange, ProjectView, ProjectFile } from './project-view.ts';

const FILES_MAX = 200_000;
/** The repository must not choose a program that writes the diff or converts files for it. */
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
const NULL_HASH = /^0+$/;

/** Opens a folder on this machine. Git-ignored files are not part of it. */
export async function openProject(root: string, cache: ContextCache): Promise<ProjectView> {
  const reader = new TreeReader(root);
  const listed = await gitOutput(root, ['ls-files', '-z', '-co', '--exclude-standard']);
  const isGit = listed.kind === 'output';
  const paths = isGit ? splitNul(listed.bytes) : await listTree(root, FILES_MAX);
  return {
    paths: [...new Set(paths)].slice(0, FILES_MAX),

    async read(path, mention) {
      const key = `${root}\0${path}\0${mention.named}`;
      const fingerprint = await reader.fingerprint(path);
      const known = fingerprint === undefined ? undefined : cache.file(key, fingerprint);
      if (known !== undefined) return known;
      const why = excludeByPath(path, mention);
      const read: ProjectFile =
        why === undefined ? await readFile(reader, path, mention) : { kind: 'left-out', why };
      if (fingerprint !== undefined) cache.keepFile(key, fingerprint, read);
      return read;
    },

    async diff(which) {
      if (!isGit) return undefined;
      const result = await gitOutput(root, [...DIFF, '--relative', ...diffWords(which)]);
      return result.kind === 'output' ? result.bytes.toString('utf8') : undefined;
    },

    async changes() {
      if (!isGit) return [];
      const result = await gitOutput(root, [
        ...DIFF,
        '--relative',
        '--cached',
        '--raw',
        '-z',
        '--no-abbrev',
      ]);
      return result.kind === 'output' ? readRaw(splitNul(result.bytes)) : [];
    },

    async readStaged({ path, after }) {
      if (after === null) return { kind: 'absent' };
      const why = excludeByPath(path, { named: false });
      if (why !== undefined) return { kind: 'left-out', why };
      const result = await gitOutput(root, ['cat-file', 'blob', after]);
      if (result.kind === 'failed') return { kind: 'left-out', why: 'unreadable' };
      if (result.bytes.length > FILE_BYTES_MAX) return { kind: 'left-out', why: 'huge' };
      return toProjectFile(result.bytes.toString('utf8'), { named: false });
    },
  };
}

async function readFile(
  reader: TreeReader,
  path: string,
  mention: FileMention,
): Promise<ProjectFile> {
  const file = await reader.read(path, FILE_BYTES_MAX);
  switch (file.kind) {
    case 'text':
      return toProjectFile(file.text, mention);
    case 'absent':
      return file;
    case 'huge':
      return { kind: 'left-out', why: 'huge' };
    case 'outside':
      return { kind: 'left-out', why: 'outside the project' };
    case 'unreadable':
      return { kind: 'left-out', why: 'unreadable' };
  }
}

function toProjectFile(text: string, mention: FileMention): ProjectFile {
  const why = excludeByText(text, mention);
  return why === undefined
    ? { kind: 'text', text, hash: hashText(text) }
    : { kind: 'left-out', why };
}

function diffWords(which: ContextDiff): readonly string[] {
  return which.split(' ').slice('git diff'.split(' ').length);
}

function splitNul(bytes: Buffer): readonly string[] {
  return bytes
    .toString('utf8')
    .split('\0')
    .filter((one) => one !== '');
}

/** `:100644 100644 <before> <after> M`, then the path. */
function readRaw(fields: readonly string[]): readonly ProjectChange[] {
  const changes: ProjectChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , before = '', after = ''] = (fields[at] ?? '').split(' ');
    const hash = (text: string): string | null => (NULL_HASH.test(text) ? null : text);
    changes.push({ path: fields[at + 1] ?? '', before: hash(before), after: hash(after) });
  }
  return changes;
}
