/** Which paths may come out of a workspace. Names are judged for every file system at once: a tree travels. */
import type { FileChange, FileTree } from './tree-entries.ts';

const PATH_BYTES_MAX = 4096;
const NAME_BYTES_MAX = 255;

/** Code points that HFS+ leaves out when it compares names. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
/** What Windows makes of `.git` when names must be short. */
const SHORT_GIT = /^git~\d+$/;
/** Windows cuts these off, and takes what follows a colon for a stream of the same file. */
const CUT_BY_WINDOWS = /(?:[. ]+|:.*)$/s;

/** A name as the most lenient file system compares it: without case, accents composed, endings cut. */
export function foldName(name: string): string {
  const plain = name.replace(IGNORED_BY_HFS, '').normalize('NFKC').toLowerCase();
  const cut = plain.replace(CUT_BY_WINDOWS, '');
  return cut === '' ? plain : cut;
}

/** Whether some file system would take this name for git's own folder or for one of its files of rules. */
export function isGitName(name: string): boolean {
  const plain = name.replace(IGNORED_BY_HFS, '').normalize('NFKC').toLowerCase();
  const cut = plain.replace(CUT_BY_WINDOWS, '');
  return [plain, cut].some((form) => form === '.git' || SHORT_GIT.test(form));
}

/** What is wrong with a path, in words that follow its name; undefined when nothing is. */
export function objectionToPath(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is absolute';
  if (path.includes('\0')) return 'holds a NUL';
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return 'is too long';
  for (const step of path.split('/')) {
    if (step === '' || step === '.' || step === '..') return 'leaves the tree';
    if (Buffer.byteLength(step) > NAME_BYTES_MAX) return 'is too long';
    if (isGitName(step)) return 'is a name of git';
    if (step.includes('\\') && step.split('\\').some((part) => part === '..' || isGitName(part)))
      return 'leaves the tree on Windows';
  }
  return undefined;
}

/** What is wrong with where a symlink leads, judged by its words alone. */
export function objectionToLink(path: string, target: string): string | undefined {
  if (target === '' || target.includes('\0')) return 'leads nowhere';
  if (target.startsWith('/') || target.startsWith('\\') || /^[a-z]:/i.test(target))
    return 'leads out of the tree';
  const steps = path.split('/').slice(0, -1);
  for (const step of target.split(/[/\\]/)) {
    if (step === '..') {
      if (steps.pop() === undefined) return 'leads out of the tree';
    } else if (isGitName(step)) {
      return 'leads into git';
    } else if (step !== '' && step !== '.') {
      steps.push(step);
    }
  }
  return undefined;
}

/** Paths that a file system without case, or one that composes accents, takes for one and the same. */
export function findCollisions(paths: Iterable<string>): readonly (readonly string[])[] {
  const spellings = new Map<string, Map<string, string>>();
  for (const path of paths) {
    // A folder in two spellings collides as much as a file does.
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

/** Collisions that a change brings about: those of the first tree are the user's own. */
export function newCollisions(before: FileTree, after: FileTree): readonly string[] {
  const old = new Set(findCollisions(before.keys()).flat());
  return findCollisions(after.keys())
    .filter((paths) => paths.some((path) => !old.has(path)))
    .flat();
}

const PATTERN_LENGTH_MAX = 200;

/**
 * The changes that no pattern allows. `src/` and `src` allow all that is below; `*` stands for a part
 * of a name, `**` for any number of folders. Without patterns everything is allowed.
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
  if (glob.length > PATTERN_LENGTH_MAX) throw new RangeError(`a pattern of ${glob.length} letters`);
  const source = glob
    .replace(/^\.?\/+|\/+$/g, '')
    .replace(/(?:\*\*\/)+/g, '**/')
    .split(/(\*\*\/?|\*|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:[^/]+/)*';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      if (part === '?') return '[^/]';
      return part.replace(/[\\^$.+()[\]{}|]/g, String.raw`\$&`);
    })
    .join('');
  return new RegExp(`^${source}(?:/.*)?$`, 'su');
}
