/** Finds mutants of the changed lines of a work, whatever its languages are. */
import { loadJavaScript } from '../context/imports/javascript-imports.ts';
import { hasJavascriptMutants, javascriptMutants } from './javascript-mutants.ts';
import { hasLineMutants, lineMutants } from './line-mutants.ts';
import type { FileMutant } from './mutant.ts';
import { chooseMutants } from './mutant.ts';

export type ChangedText = {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly number[];
};

export function hasMutants(path: string): boolean {
  return hasJavascriptMutants(path) || hasLineMutants(path);
}

/** At most `max`, which differ as much as possible. */
export async function findMutants(
  changed: readonly ChangedText[],
  max: number,
): Promise<readonly FileMutant[]> {
  const found: FileMutant[] = [];
  for (const { path, text, lines } of changed) {
    const numbers = new Set(lines);
    const mutants = hasJavascriptMutants(path)
      ? javascriptMutants(await loadJavaScript(), path, text, numbers)
      : lineMutants(path, text, numbers);
    found.push(...mutants.map((mutant) => ({ ...mutant, path })));
  }
  return chooseMutants(found, max);
}
