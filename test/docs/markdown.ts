/**
 * The documents of the checkout, and the parts that tests need: blocks, links, headings, tables.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

type Block = {
  /** `sh`, `ts`, `yaml` … */
  readonly info: string;
  readonly text: string;
  /** The line of its first line, from 1. */
  readonly line: number;
};

export type Document = {
  /** From the checkout. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The same lines with every block left empty. */
  readonly prose: string;
};

const SKIPPED = new Set(['node_modules', 'dist', 'test', 'src']);

export function documents(folder = checkout): readonly Document[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return entry.name.startsWith('.') || SKIPPED.has(entry.name) ? [] : documents(path);
      return entry.name.endsWith('.md')
        ? [parse(relative(checkout, path), readFileSync(path, 'utf8'))]
        : [];
    });
}

export function parse(path: string, text: string): Document {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { readonly info: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line);
    prose.push(open === undefined && fence === null ? line : '');
    if (open === undefined) {
      if (fence !== null) open = { info: (fence[1] ?? '').trim(), line: index + 2, lines: [] };
    } else if (fence === null) open.lines.push(line);
    else {
      blocks.push({ info: open.info, line: open.line, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${path}:${open.line}: a block without an end`);
  return { path, text, blocks, prose: prose.join('\n') };
}

/** The targets of its links that are not on the web. */
export function links({ prose }: Document): readonly string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of its headings, as GitHub spells them. */
export function anchors({ prose }: Document): readonly string[] {
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

/** The text under a heading, up to the next one of its rank or higher. */
export function section({ path, prose }: Document, heading: string): string {
  const lines = prose.split('\n');
  const begin = lines.findIndex((line) => /^#+ /.test(line) && line.endsWith(` ${heading}`));
  if (begin === -1) throw new Error(`${path} has no heading "${heading}"`);
  const rank = lines[begin]?.indexOf(' ') ?? 1;
  const rest = lines.slice(begin + 1);
  const end = rest.findIndex((line) => new RegExp(`^#{1,${rank}} `).test(line));
  return rest.slice(0, end === -1 ? undefined : end).join('\n');
}

/** The rows of every table in a text, without their heads; cells without their backticks. */
export function tableRows(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  return lines
    .filter((line, index) => {
      const isRow = line.startsWith('|') && !/^\|[\s|:-]+\|$/.test(line);
      return isRow && !/^\|[\s|:-]+-[\s|:-]*\|$/.test(lines[index + 1] ?? '');
    })
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

/** Everything in backticks, in order; a line break inside counts as a space. */
export function codeSpans(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll('\n', ' '));
}
