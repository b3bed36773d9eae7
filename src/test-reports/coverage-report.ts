/** Reads which lines a test run has covered, from lcov or cobertura. */
import { readXml } from './xml-events.ts';

/** Whether a line was executed, by its number. */
type CoveredLines = ReadonlyMap<number, boolean>;
export type Coverage = ReadonlyMap<string, CoveredLines>;
export type LineCount = { readonly hit: number; readonly found: number };

const FILES_MAX = 50_000;
const LINES_MAX = 5_000_000;

/** Undefined: the text has no line of that format. */
export function readCoverage(text: string, format: 'lcov' | 'cobertura'): Coverage | undefined {
  const collected = format === 'lcov' ? readLcov(text) : readCobertura(text);
  return collected.size === 0 ? undefined : collected;
}

/**
 * Without files that lie outside of the tree, such as those of a reporter that a test runner has loaded. `startsIn` is the
 * folder of the tree that the command started in.
 */
export function withoutOutside(coverage: Coverage, startsIn: string): Coverage {
  const depth = startsIn.split('/').filter((part) => part !== '' && part !== '.').length;
  return new Map([...coverage].filter(([path]) => !leadsOut(path, depth)));
}

/** An absolute path stays: a container may have another root. */
function leadsOut(path: string, depth: number): boolean {
  if (path.startsWith('/')) return false;
  let level = depth;
  for (const part of path.split('/')) {
    if (part === '..') level -= 1;
    else if (part !== '' && part !== '.') level += 1;
    if (level < 0) return true;
  }
  return false;
}

class LineCollector {
  readonly files = new Map<string, Map<number, boolean>>();
  #lines = 0;

  add(file: string, line: number, hits: number): void {
    if (!Number.isInteger(line) || line <= 0 || Number.isNaN(hits)) return;
    const known = this.files.get(file) ?? new Map<number, boolean>();
    if (this.#lines >= LINES_MAX || (known.size === 0 && this.files.size >= FILES_MAX)) return;
    this.#lines += 1;
    // A line may be listed twice, such as for its method and for its class.
    known.set(line, known.get(line) === true || hits > 0);
    this.files.set(file, known);
  }
}

function readLcov(text: string): Coverage {
  const lines = new LineCollector();
  let file = '';
  for (const [, key = '', value = ''] of text.matchAll(/^(SF|DA):(.*)$/gm)) {
    if (key === 'SF') file = value.trim();
    else {
      const [line = '', hits = ''] = value.split(',', 2);
      lines.add(file, Number(line), Number(hits));
    }
  }
  return lines.files;
}

function readCobertura(text: string): Coverage {
  const lines = new LineCollector();
  let file: string | undefined;
  for (const event of readXml(text)) {
    if (event.kind === 'text') continue;
    if (event.kind === 'close') {
      if (event.name === 'class') file = undefined;
      continue;
    }
    const { name, attributes } = event;
    if (name === 'class') file = attributes.get('filename');
    if (name === 'line' && file !== undefined)
      lines.add(file, Number(attributes.get('number')), Number(attributes.get('hits')));
  }
  return lines.files;
}

/** How many of all lines were executed. */
export function countLines(coverage: Coverage): LineCount {
  let [hit, found] = [0, 0];
  for (const lines of coverage.values())
    for (const isHit of lines.values()) {
      found += 1;
      if (isHit) hit += 1;
    }
  return { hit, found };
}

/** The same of the given lines, for lines that the report knows: a comment is not executed. */
export function countLinesOf(
  coverage: Coverage,
  changed: ReadonlyMap<string, readonly number[]>,
): LineCount {
  let [hit, found] = [0, 0];
  for (const [file, numbers] of changed) {
    const lines = linesOf(coverage, file);
    for (const number of numbers) {
      const isHit = lines?.get(number);
      if (isHit === undefined) continue;
      found += 1;
      if (isHit) hit += 1;
    }
  }
  return { hit, found };
}

/** The files of which the report has no line. */
export function unlistedFiles(coverage: Coverage, files: Iterable<string>): readonly string[] {
  return [...files].filter((file) => linesOf(coverage, file) === undefined);
}

function linesOf(coverage: Coverage, file: string): CoveredLines | undefined {
  return coverage.get(file) ?? endingWith(coverage, file);
}

/** A report may name files by a longer path, such as an absolute one, or from a folder of the project. */
function endingWith(coverage: Coverage, file: string): CoveredLines | undefined {
  for (const [path, lines] of coverage)
    if (path.endsWith(`/${file}`) || (path !== '' && file.endsWith(`/${path}`))) return lines;
  return undefined;
}

/** In percent. A report without lines covers everything that it knows. */
export function percentOf({ hit, found }: LineCount): number {
  return found === 0 ? 100 : (hit * 100) / found;
}
