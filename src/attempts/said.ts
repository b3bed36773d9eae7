/** What an agent that works in turns says to others, out of its last answer. */

export type Said = {
  /** The last line: what it says of itself. */
  readonly last: string;
  /** Lines that begin with `NOTE: `, without that. */
  readonly notes: readonly string[];
};

const LINE_MAX = 4000;
const NOTES_MAX = 20;
const NOTE_CHARS_MAX = 2000;
const NOTE = 'NOTE: ';

export function saidIn(answer: string): Said {
  const lines = answer.trimEnd().split('\n');
  const notes = lines.flatMap((line) =>
    line.startsWith(NOTE) ? [line.slice(NOTE.length).trim().slice(0, NOTE_CHARS_MAX)] : [],
  );
  return {
    // A line that is cut says something else: then it says nothing.
    last: bounded(lines.at(-1)?.trim() ?? ''),
    notes: notes.filter((note) => note !== '').slice(0, NOTES_MAX),
  };
}

function bounded(line: string): string {
  return line.length <= LINE_MAX ? line : '';
}
