/** What an agent that works in turns says to others: its notes, out of all that it said in a turn, and the last line of that. */
import type { AgentEvent } from '../agents/event.ts';
import type { FinalAnswer } from '../agents/final-answer.ts';
import { isAnother } from '../agents/final-answer.ts';

export type Said = {
  /** The last line: what it says of itself. */
  readonly last: string;
  /** Lines that begin with `NOTE: `, without that; each once, in their order. */
  readonly notes: readonly string[];
};

const LINE_MAX = 4000;
const NOTES_MAX = 20;
const NOTE_CHARS_MAX = 2000;
/** Of a line as it was said: secrets are taken out before it is cut, so a longer one is left out as a whole. */
const RAW_CHARS_MAX = 50_000;
const NOTE = 'NOTE: ';

/** The notes so far, once something else is said than `answer`. They are as they were said, secrets included. */
export function followNotes(
  notes: readonly string[],
  answer: FinalAnswer,
  event: AgentEvent,
): readonly string[] {
  return isAnother(answer, event) ? withNotes(notes, answer.text) : notes;
}

/** `earlier`: the notes of what it said before this answer. */
export function saidIn(answer: string, earlier: readonly string[] = []): Said {
  const notes = withNotes(earlier, answer);
  return {
    // A line that is cut says something else: then it says nothing.
    last: bounded(answer.trimEnd().split('\n').at(-1)?.trim() ?? ''),
    notes: notes.map((note) => note.slice(0, NOTE_CHARS_MAX)),
  };
}

/** Who says the same again, as some do in their last word, has said it once. Of very many the last are kept. */
function withNotes(notes: readonly string[], answer: string): readonly string[] {
  const said = answer.split('\n').flatMap((line) => {
    const note = line.startsWith(NOTE) ? line.slice(NOTE.length).trim() : '';
    return note === '' || note.length > RAW_CHARS_MAX ? [] : [note];
  });
  return said.length === 0 ? notes : [...new Set([...notes, ...said])].slice(-NOTES_MAX);
}

function bounded(line: string): string {
  return line.length <= LINE_MAX ? line : '';
}
