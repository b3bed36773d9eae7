/**
 * What an agent says last, whole: its story keeps only the end of it. No earlier turn and no tool's
 * output is part of it, so nothing that an agent merely met can pass for its answer.
 */
import type { AgentEvent } from './agent-event.ts';

export type FinalAnswer = {
  readonly text: string;
  /** Whether what is said next goes on with it. */
  readonly isOpen: boolean;
};

export const NO_ANSWER: FinalAnswer = { text: '', isOpen: false };

/** What is longer than any answer may be is kept so far that one can tell. */
export const FINAL_CHARS_MAX = 1_000_001;

/** Whether the event is an answer of its own, and not more of this one. */
export function startsNewAnswer({ isOpen }: FinalAnswer, event: AgentEvent): boolean {
  if (event.kind === 'said') return !isOpen || event.whole === true;
  return event.kind === 'concluded' && event.summary !== '';
}

export function foldAnswer(answer: FinalAnswer, event: AgentEvent): FinalAnswer {
  switch (event.kind) {
    case 'said': {
      const before = startsNewAnswer(answer, event) ? '' : answer.text;
      return { text: clipped(before + event.text), isOpen: true };
    }
    case 'concluded':
      // Some conclude without a word: then what they said last was it.
      return event.summary === '' ? answer : { text: clipped(event.summary), isOpen: false };
    case 'used-tool':
    case 'tool-result':
      return { ...answer, isOpen: false };
    case 'session':
    case 'usage':
    case 'retrying':
    case 'failed':
    case 'asked':
    case 'limit':
    case 'noise':
      return answer;
  }
}

function clipped(text: string): string {
  return text.length <= FINAL_CHARS_MAX ? text : text.slice(0, FINAL_CHARS_MAX);
}
