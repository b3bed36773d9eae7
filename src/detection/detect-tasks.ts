/** The checks that a Makefile or a justfile names, for a project in which nothing else was found. */
import type { FolderListing } from './listing.ts';
import type { CheckKind, DetectedCheck } from './project-part.ts';

const TARGETS: Readonly<Record<CheckKind, readonly string[]>> = {
  test: ['test', 'tests', 'check'],
  lint: ['lint'],
  typecheck: ['typecheck', 'type-check', 'types', 'mypy'],
};

const RUNNERS: readonly (readonly [program: string, ...files: string[]])[] = [
  ['make', 'GNUmakefile', 'makefile', 'Makefile'],
  ['just', 'justfile', 'Justfile', '.justfile'],
];

export function detectTask(kind: CheckKind, files: FolderListing): DetectedCheck | undefined {
  for (const [program, ...names] of RUNNERS) {
    const file = files.first(...names);
    if (file === undefined) continue;
    const targets = targetsOf(files.text(file));
    const target = TARGETS[kind].find((name) => targets.has(name));
    if (target !== undefined)
      return { kind, command: [program, target], why: `the target ${target} in ${file}` };
  }
  return undefined;
}

/** `a b: c` defines two targets. An assignment, `a := b` or `a ?= b:c`, defines none. */
export function targetsOf(text: string): ReadonlySet<string> {
  return new Set(
    text.split('\n').flatMap((line) => {
      const [, before] = /^@?(\w[^:#\t]*?)\s*::?(?![:=])/.exec(line) ?? [];
      const words = before?.split(/\s+/) ?? [];
      return words.some((word) => /^[?+!]?=$/.test(word)) ? [] : words;
    }),
  );
}
