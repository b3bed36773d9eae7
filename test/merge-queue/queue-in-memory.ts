/** The commands of a merge queue on files in memory. Lines are merged by a rule of its own, not by git. */
import type { Json } from '../../src/base/json.ts';
import type { WorkPoint } from '../../src/protocol/contracts/workflow-contract.ts';
import type { Pair, Tree } from './pairs.ts';
import { applyPatch, isSound } from './pairs.ts';
import type { QueueMachine } from './play-pair.ts';

export function queueInMemory({ base }: Pair): QueueMachine {
  const stored = new Map<string, Tree>();
  let branch: Tree | undefined;
  const store = (run: string, tree: Tree): WorkPoint => {
    const commit = `commit-${stored.size + 1}`;
    stored.set(commit, tree);
    return { run, tree: 1, commit, content: commit };
  };
  const filesOf = (work: unknown): Tree => stored.get((work as WorkPoint).commit) ?? {};
  return {
    work: async (run, from, patch) => store(run, applyPatch(filesOf(from), patch)),
    perform: async (command, _key, input): Promise<Record<string, Json>> => {
      switch (command) {
        case 'open-base':
          return { kind: 'opened', work: store('f000000000', base) };
        case 'merge-work': {
          const [before, after, landed] = ['base', 'work', 'tip'].map((one) => filesOf(input[one]));
          const { tree, conflicts, names } = mergeTrees(before ?? {}, after ?? {}, landed ?? {});
          if (conflicts.length > 0) return { kind: 'conflict', files: conflicts, text: 'a diff' };
          return { kind: 'merged', work: store('f000000000', tree), names };
        }
        case 'gate': {
          const common = { name: 'test', exit: 1, tail: 'not sound' };
          return isSound(filesOf(input['work']))
            ? { kind: 'passed', name: 'test' }
            : { kind: 'failed', ...common };
        }
        default: {
          branch = filesOf(input['work']);
          const { commit } = input['work'] as WorkPoint;
          return { kind: 'committed', branch: 'b', commit, pullRequest: null };
        }
      }
    },
    branch: async () => branch,
  };
}

type Merged = {
  readonly tree: Tree;
  readonly conflicts: readonly string[];
  readonly names: readonly string[];
};

function mergeTrees(before: Tree, after: Tree, landed: Tree): Merged {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  const names = [...paths].filter((path) => before[path] !== after[path]).toSorted();
  const tree: Record<string, string> = { ...landed };
  const conflicts = names.filter((path) => {
    const merged = mergeFile(before[path], after[path], landed[path]);
    if (merged === 'conflict') return true;
    if (merged === undefined) delete tree[path];
    else tree[path] = merged;
    return false;
  });
  const folders = Object.keys(tree).filter((path) =>
    Object.keys(tree).some((other) => other.startsWith(`${path}/`)),
  );
  return { tree, conflicts: [...conflicts, ...folders], names };
}

function mergeFile(
  before: string | undefined,
  after: string | undefined,
  landed: string | undefined,
): string | undefined {
  if (before === landed || after === landed) return after;
  if (before === undefined || after === undefined || landed === undefined) return 'conflict';
  return mergeLines(before.split('\n'), after.split('\n'), landed.split('\n'));
}

/** Replaced lines, and lines that one side has added at the end. Everything else is a conflict. */
function mergeLines(
  before: readonly string[],
  after: readonly string[],
  landed: readonly string[],
): string {
  const [own, other] = [changedLines(before, after), changedLines(before, landed)];
  if (own === undefined || other === undefined) return 'conflict';
  const isNear = own.some((line) => other.some((one) => Math.abs(one - line) <= 1));
  if (isNear) return 'conflict';
  const longest = after.length > before.length ? after : landed;
  return longest
    .map((line, nth) =>
      own.includes(nth) ? (after[nth] ?? '') : other.includes(nth) ? (landed[nth] ?? '') : line,
    )
    .join('\n');
}

/** Undefined: lines were added or taken out before the end. */
function changedLines(
  before: readonly string[],
  after: readonly string[],
): readonly number[] | undefined {
  const kept = before.slice(0, -1);
  const changed = kept.flatMap((line, nth) => (after[nth] === line ? [] : [nth]));
  if (after.length === before.length) return changed;
  if (changed.length > 0 || after.length < before.length) return undefined;
  return after.slice(before.length - 1).map((_, nth) => before.length - 1 + nth);
}
