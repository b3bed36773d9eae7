/**
 * The screens in `docs/guide/first-hour.md`. Each block begins with a prompt and a command, and has
 * what the screen shows next. The text between the blocks is written by hand.
 */
import { parse } from '../../docs/markdown.ts';
import type { Screen } from './session.ts';

export type Recorded = {
  readonly project: string;
  readonly command: string;
  /** The prompt with the command, and all lines below. */
  readonly screen: Screen;
  /** The line of the document where the block begins, from 0. */
  readonly at: number;
};

const PROMPT = /^~\/(\w+) \$ (.+)$/;

/** The screens below a heading, in order. */
export function screensUnder(text: string, heading: string): readonly Recorded[] {
  const lines = text.split('\n');
  const begin = lines.indexOf(`## ${heading}`);
  if (begin === -1) throw new Error(`there is no heading "${heading}"`);
  const end = lines.findIndex((line, nth) => nth > begin && line.startsWith('## '));
  return parse('first-hour.md', text).blocks.flatMap((block) => {
    const at = block.line - 1;
    if (at < begin || (end !== -1 && at > end)) return [];
    const screen = block.text.trimEnd().split('\n');
    const [, project, command] = PROMPT.exec(screen[0] ?? '') ?? [];
    return project === undefined || command === undefined ? [] : [{ project, command, screen, at }];
  });
}

/** The document with other screens in the same places. */
export function withScreens(
  text: string,
  replaced: readonly (readonly [Recorded, Screen])[],
): string {
  const lines = text.split('\n');
  for (const [{ at, screen }, now] of replaced.toSorted(([a], [b]) => b.at - a.at))
    lines.splice(at, screen.length, ...now);
  return lines.join('\n');
}

/**
 * What two recordings of one command have in common. Times, ids and process ids differ, and so
 * does where a line with them wraps or is cut.
 */
export function lasting(screen: Screen, columns: number): readonly string[] {
  const lines = unwrapped(screen, columns)
    .filter((line) => !/^\s*[~^]+\s*$/.test(line)) // newer versions of Python underline more
    .map((line) =>
      line
        .replaceAll(/\b\d+(?:\.\d+)?m?s\b/g, 'TIME')
        .replaceAll(/\b\d+m\d\ds\b/g, 'TIME')
        .replaceAll(/\b[0-9a-f]{10}\b/g, 'ID')
        .replaceAll(/\bpid \d+/g, 'pid N')
        .replace(/^ +TIME/, 'TIME')
        .replace(/^([✔✖] (?:setup|gate \w+) {2}).*… {2}TIME/, '$1… TIME'),
    );
  // The agent's words arrive beside the events, so only the order of the events is certain.
  const isTimed = (line: string): boolean => line.startsWith('TIME');
  return lines.some(isTimed)
    ? [...lines.filter(isTimed), ...lines.filter((line) => !isTimed(line)).toSorted()]
    : lines;
}

/** The line of a command that was cut to the width of the terminal. */
const CUT = /… {2}\d/;

/** A full line continues in the next one. */
function unwrapped(screen: Screen, columns: number): readonly string[] {
  const lines: string[] = [];
  let isContinued = false;
  for (const line of screen) {
    if (isContinued) lines.push(`${lines.pop() ?? ''}${line}`);
    else lines.push(line);
    isContinued = line.length === columns && !CUT.test(line);
  }
  return lines;
}
