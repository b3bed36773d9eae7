/**
 * Reads a turn of a long-lived agent: the notes in all of its messages, and the commitments and the last line of
 * its final answer.
 */
import type { AgentEvent } from '../adapters/agent-event.ts';
import type { FinalAnswer } from '../adapters/final-answer.ts';
import { startsNewAnswer } from '../adapters/final-answer.ts';
import type { TurnNotes } from '../protocol/contracts/attempt-contract.ts';

const LINE_MAX = 4000;
const NOTES_MAX = 20;
const NOTE_CHARS_MAX = 2000;
/** The maximum length of a raw line. Secrets are removed before the line is cut, so a longer line is left out. */
const RAW_CHARS_MAX = 50_000;
const NOTE = 'NOTE: ';
const COMMIT = 'COMMIT: ';
const COMMITS_MAX = 20;

/** The notes so far. Those of `answer` are added when the next message begins. Secrets are not removed yet. */
export function foldTurnNotes(
  notes: readonly string[],
  answer: FinalAnswer,
  event: AgentEvent,
): readonly string[] {
  return startsNewAnswer(answer, event) ? withNotes(notes, answer.text) : notes;
}

/** `earlier` holds the notes of the messages before this answer. */
export function readTurnNotes(answer: string, earlier: readonly string[] = []): TurnNotes {
  const notes = withNotes(earlier, answer);
  const commitments = linesWith(COMMIT, answer)
    .map((line) => (line.length <= LINE_MAX ? line : `${line.slice(0, LINE_MAX)}…`))
    .slice(0, COMMITS_MAX);
  return {
    // A line that was cut could mean something else, so a line that is too long counts as empty.
    statusLine: bounded(answer.trimEnd().split('\n').at(-1)?.trim() ?? ''),
    notes: notes.map((note) => note.slice(0, NOTE_CHARS_MAX)),
    ...(commitments.length > 0 && { commitments }),
  };
}

/** A repeated note counts once, because some agents repeat all notes at the end. Only the last notes are stored. */
function withNotes(notes: readonly string[], answer: string): readonly string[] {
  const added = linesWith(NOTE, answer).filter((note) => note.length <= RAW_CHARS_MAX);
  return added.length === 0 ? notes : [...new Set([...notes, ...added])].slice(-NOTES_MAX);
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
