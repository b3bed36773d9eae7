/**
 * The complete last message of an agent. The transcript keeps only its end. Earlier turns and tool
 * output are not part of it, so text that an agent merely read can never count as its answer.
 */
import type { AgentEvent } from './agent-event.ts';

export type FinalAnswer = {
  readonly text: string;
  /** Whether the next text continues this message. */
  readonly isOpen: boolean;
};

export const NO_ANSWER: FinalAnswer = { text: '', isOpen: false };

/** One character more than any answer may have, so that a longer one can be detected. */
export const FINAL_CHARS_MAX = 1_000_001;

/** Whether the event starts a new message instead of continuing this one. */
export function startsNewAnswer({ isOpen }: FinalAnswer, event: AgentEvent): boolean {
  if (event.kind === 'said') return !isOpen || event.whole === true;
  return event.kind === 'concluded' && event.summary !== '';
}

export function foldAnswer(answer: FinalAnswer, event: AgentEvent): FinalAnswer {
  switch (event.kind) {
    case 'said': {
      const before = startsNewAnswer(answer, event) ? '' : answer.text;
      return { text: truncate(before + event.text), isOpen: true };
    }
    case 'concluded':
      // Some CLIs conclude with an empty summary. Then the last message is the answer.
      return event.summary === '' ? answer : { text: truncate(event.summary), isOpen: false };
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

function truncate(text: string): string {
  return text.length <= FINAL_CHARS_MAX ? text : text.slice(0, FINAL_CHARS_MAX);
}
