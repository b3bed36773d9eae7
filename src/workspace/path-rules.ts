/**
 * Decides which paths may leave a workspace. Names are checked for every file system at once, because a tree may be
 * copied anywhere.
 */
import { simpleGlobSource } from '../base/simple-glob.ts';
import type { FileChange, FileTree } from './tree-entries.ts';

const PATH_BYTES_MAX = 4096;
const NAME_BYTES_MAX = 255;

/** Code points that HFS+ ignores when it compares names. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
/** The short form of `.git` on Windows. */
const SHORT_GIT = /^git~\d+$/;
/** Windows removes these endings, and treats the text after a colon as a stream of the same file. */
const CUT_BY_WINDOWS = /(?:[. ]+|:.*)$/s;

/** A name as the most lenient file system compares it: lower case, accents composed, endings removed. */
export function foldName(name: string): string {
  const plain = name.replace(IGNORED_BY_HFS, '').normalize('NFKC').toLowerCase();
  const cut = plain.replace(CUT_BY_WINDOWS, '');
  return cut === '' ? plain : cut;
}

/** Whether some file system would treat this name as git's own folder or as one of its rule files. */
export function isGitName(name: string): boolean {
  const plain = name.replace(IGNORED_BY_HFS, '').normalize('NFKC').toLowerCase();
  const cut = plain.replace(CUT_BY_WINDOWS, '');
  return [plain, cut].some((form) => form === '.git' || SHORT_GIT.test(form));
}

/** What is wrong with a path, as the end of a sentence that begins with it. Undefined if nothing is. */
export function objectionToPath(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is absolute';
  if (path.includes('\0')) return 'contains a NUL';
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return 'is too long';
  for (const step of path.split('/')) {
    if (step === '' || step === '.' || step === '..') return 'leaves the tree';
    if (Buffer.byteLength(step) > NAME_BYTES_MAX) return 'is too long';
    if (isGitName(step)) return 'is a name that git reserves';
    if (step.includes('\\') && step.split('\\').some((part) => part === '..' || isGitName(part)))
      return 'leaves the tree on Windows';
  }
  return undefined;
}

/** What is wrong with the target of a symlink, judged by its text alone. */
export function objectionToLink(path: string, target: string): string | undefined {
  if (target === '' || target.includes('\0')) return 'has no target';
  if (target.startsWith('/') || target.startsWith('\\') || /^[a-z]:/i.test(target))
    return 'points out of the tree';
  const steps = path.split('/').slice(0, -1);
  for (const step of target.split(/[/\\]/)) {
    if (step === '..') {
      if (steps.pop() === undefined) return 'points out of the tree';
    } else if (isGitName(step)) {
      return 'points into git';
    } else if (step !== '' && step !== '.') {
      steps.push(step);
    }
  }
  return undefined;
}

/** Paths that a file system which ignores case, or composes accents, treats as the same. */
export function findCollisions(paths: Iterable<string>): readonly (readonly string[])[] {
  const spellings = new Map<string, Map<string, string>>();
  for (const path of paths) {
    // A folder in two spellings collides as a file does.
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const part = path.slice(0, end);
      const plain = part.normalize('NFC').toLowerCase();
      const seen = spellings.get(plain) ?? new Map<string, string>();
      if (seen.has(part)) break;
      spellings.set(plain, seen.set(part, path));
    }
  }
  return [...spellings.values()]
    .filter((seen) => seen.size > 1)
    .map((seen) => [...seen.values()].toSorted());
}

/** Collisions that a change introduces. Those of the first tree are the user's own. */
export function newCollisions(before: FileTree, after: FileTree): readonly string[] {
  const old = new Set(findCollisions(before.keys()).flat());
  return findCollisions(after.keys())
    .filter((paths) => paths.some((path) => !old.has(path)))
    .flat();
}

const PATTERN_LENGTH_MAX = 200;

/**
 * The changes that no pattern allows. `src/` and `src` allow everything below; `*` matches a part of a name, `**` any
 * number of folders. Without patterns everything is allowed.
 */
export function changesOutside(
  changes: readonly FileChange[],
  allowed: readonly string[] | undefined,
): readonly FileChange[] {
  if (allowed === undefined) return [];
  const patterns = allowed.map(toPattern);
  return changes.filter(({ path }) => !patterns.some((pattern) => pattern.test(path)));
}

function toPattern(glob: string): RegExp {
  if (glob.length > PATTERN_LENGTH_MAX)
    throw new RangeError(`the pattern has ${glob.length} characters`);
  const plain = glob.replace(/^\.?\/+|\/+$/g, '').replace(/(?:\*\*\/)+/g, '**/');
  return new RegExp(`^${simpleGlobSource(plain)}(?:/.*)?$`, 'su');
}
