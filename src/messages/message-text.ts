/**
 * The words around a message. Any file can contain `[SUPERVISOR]`, so each run has a word of its own. The first prompt
 * of a conversation names it, and every message begins with it.
 */
import { formatDuration } from '../base/format-duration.ts';
import { hashText } from '../base/hash-text.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';
import type { MessageOrigin, SentMessage } from '../protocol/run-message.ts';

const WORD_DIGITS = 8;

const FROM: Readonly<Record<MessageOrigin, string>> = {
  person: 'a person',
  steering: 'its steering',
  violation: 'its rules',
  feedback: 'a check',
};

/** The word of a run. No file of the project can know it. */
export function messageWord(run: string): string {
  return hashText(`${run}/messages`).slice(0, WORD_DIGITS);
}

/** What the gateway looks for in a request. It has no character that JSON writes in another way. */
export function messageMark(run: string, id: string): string {
  return `[SUPERVISOR] ${messageWord(run)} message ${id}`;
}

/** The message as the agent reads it: with its mark, what wrote it, and its age. */
export function markMessage(run: string, message: SentMessage, now: number): string {
  const { id, origin, text, at } = message;
  return renderProgramPrompt('messages/message', {
    mark: messageMark(run, id),
    from: FROM[origin],
    age: formatDuration(Math.max(0, now - at)),
    text,
  });
}

/** The sentence in the first prompt that names the word. */
export function announceWord(run: string): string {
  return renderProgramPrompt('messages/word', { mark: `[SUPERVISOR] ${messageWord(run)}` });
}

/** Tabs and line breaks stay. Everything else that a terminal or a parser could act on is dropped. */
export function cleanText(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (found) =>
      found === '\n' || found === '\t' || found === '\u200D' ? found : '',
    )
    .trim();
}
