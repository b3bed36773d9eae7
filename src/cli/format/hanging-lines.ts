import { wrapWords } from '../../base/text.ts';
import type { CliContext } from '../cli-context.ts';

/** Below this width, a margin would leave too little room for the text. */
const TEXT_CHARS_MIN = 30;

/**
 * On a terminal, a line that is too long continues below its own beginning, `indent` columns from the left, and breaks
 * between words. Without a terminal it stays one line.
 */
export function hangingLines(
  { terminal }: Pick<CliContext, 'terminal'>,
  text: string,
  indent: number,
): string {
  const room = terminal.width - indent;
  if (!terminal.isTty || text.length <= room || room < TEXT_CHARS_MIN) return text;
  return wrapWords(text, room).join(`\n${' '.repeat(indent)}`);
}
