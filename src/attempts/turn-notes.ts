/**
 * What an agent that works in turns says to others: its notes, out of all that it said in a turn, and of its last
 * answer what it promises and the last line.
 */
import type { AgentEvent } from '../adapters/agent-event.ts';
import type { FinalAnswer } from '../adapters/final-answer.ts';
import { startsNewAnswer } from '../adapters/final-answer.ts';
import type { TurnNotes } from '../protocol/attempt-contract.ts';

const LINE_MAX = 4000;
const NOTES_MAX = 20;
const NOTE_CHARS_MAX = 2000;
/** Of a line as it was said: secrets are taken out before it is cut, so a longer one is left out as a whole. */
const RAW_CHARS_MAX = 50_000;
const NOTE = 'NOTE: ';
const COMMIT = 'COMMIT: ';
const COMMITS_MAX = 20;

/** The notes so far, once something else is said than `answer`. They are as they were said, secrets included. */
export function foldTurnNotes(
  notes: readonly string[],
  answer: FinalAnswer,
  event: AgentEvent,
): readonly string[] {
  return startsNewAnswer(answer, event) ? withNotes(notes, answer.text) : notes;
}

/** `earlier`: the notes of what it said before this answer. */
export function readTurnNotes(answer: string, earlier: readonly string[] = []): TurnNotes {
  const notes = withNotes(earlier, answer);
  const commits = linesWith(COMMIT, answer)
    .map((line) => (line.length <= LINE_MAX ? line : `${line.slice(0, LINE_MAX)}…`))
    .slice(0, COMMITS_MAX);
  return {
    // A line that is cut says something else: then it says nothing.
    last: bounded(answer.trimEnd().split('\n').at(-1)?.trim() ?? ''),
    notes: notes.map((note) => note.slice(0, NOTE_CHARS_MAX)),
    ...(commits.length > 0 && { commits }),
  };
}

/** Who says the same again, as some do in their last word, has said it once. Of very many the last are kept. */
function withNotes(notes: readonly string[], answer: string): readonly string[] {
  const said = linesWith(NOTE, answer).filter((note) => note.length <= RAW_CHARS_MAX);
  return said.length === 0 ? notes : [...new Set([...notes, ...said])].slice(-NOTES_MAX);
}

function linesWith(mark: string, answer: string): readonly string[] {
  return answer
    .split('\n')
    .flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length).trim()] : []))
    .filter((line) => line !== '');
}

function bounded(line: string): string {
  return line.length <= LINE_MAX ? line : '';
}
