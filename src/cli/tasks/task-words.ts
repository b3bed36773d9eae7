/** A task that was typed without quotation marks: `supervisor run fix the failing test`. */
import type { Command } from 'commander';
import { Refusal } from '../../base/errors.ts';

/**
 * The words of a task as one text. Words that do not stand together are refused: in `--gate npm test`, the last
 * word belongs to the gate, and a task that ends with it would be another task.
 */
export function joinWords(words: readonly string[], typed: readonly string[]): string {
  const [first = ''] = words;
  if (words.length < 2) return first;
  const text = words.join(' ');
  if (words.every((word) => !/\s/.test(word)) && standTogether(words, typed)) return text;
  const quoted = words.find((word) => /\s/.test(word));
  const extra = words.filter((word) => word !== quoted);
  throw new Refusal({
    code: 'usage.invalid',
    message:
      quoted === undefined
        ? `It is not clear which words are the text: ${words.map(quote).join(', ')}.`
        : `After the text ${quote(quoted)} there are more words: ${extra.map(quote).join(', ')}.`,
    hint: 'Put the text, and each value of an option that has spaces, in quotation marks: "npm test"',
  });
}

/** The text of a command's last argument, which takes all words that follow. */
export function textOf(command: Command, words: readonly string[]): string {
  let root = command;
  while (root.parent !== null) root = root.parent;
  return joinWords(words, root.args);
}

/** A person who types `run help` wants no run. A longer text is no such request. */
export function refuseHelpAsTask(
  text: string,
  command: 'run' | 'start-task' | 'plan' | 'spawn',
): void {
  if (!/^(?:help|usage|\?)$/i.test(text.trim())) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${quote(text.trim())} is no task, so nothing was started.`,
    hint: `To see how it is used: supervisor ${command} --help. To start an agent, say what to do: supervisor ${command} "fix the failing test"`,
  });
}

function standTogether(words: readonly string[], typed: readonly string[]): boolean {
  return typed.some((_, start) => words.every((word, index) => typed[start + index] === word));
}

function quote(text: string): string {
  return JSON.stringify(text);
}
