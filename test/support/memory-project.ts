import { excludeByPath, excludeByText } from '../../src/context/exclude.ts';
import type { FileMention } from '../../src/context/exclude.ts';
import type { ProjectChange, ProjectView, ProjectFile } from '../../src/context/project-view.ts';
import { hashText } from '../../src/base/hash-text.ts';

/** A project that is a plain value. Staged files are given with their staged text. */
export function memoryProject(
  files: Readonly<Record<string, string>>,
  given: {
    readonly diff?: string;
    readonly staged?: Readonly<Record<string, { before: string | null; after: string | null }>>;
  } = {},
): ProjectView & { readonly readsOf: Map<string, number> } {
  const readsOf = new Map<string, number>();
  const staged = given.staged ?? {};
  return {
    readsOf,
    paths: Object.keys(files).toSorted((a, b) => (a < b ? -1 : 1)),
    read: async (path, mention) => {
      readsOf.set(path, (readsOf.get(path) ?? 0) + 1);
      const text = files[path];
      return text === undefined ? { kind: 'absent' } : seen(path, text, mention);
    },
    diff: async () => given.diff,
    changes: async () =>
      Object.entries(staged).map(([path, { before, after }]): ProjectChange => ({
        path,
        before: hashOf(before),
        after: hashOf(after),
      })),
    readStaged: async ({ path }) => {
      const text = staged[path]?.after ?? null;
      return text === null ? { kind: 'absent' } : seen(path, text, { named: false });
    },
  };
}

function seen(path: string, text: string, mention: FileMention): ProjectFile {
  const why = excludeByPath(path, mention) ?? excludeByText(text, mention);
  return why === undefined
    ? { kind: 'text', text, hash: hashText(text) }
    : { kind: 'left-out', why };
}

function hashOf(text: string | null): string | null {
  return text === null ? null : hashText(text);
}
