/** Colors a unified diff as git does. */
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';

type Style = Parameters<typeof paint>[1];

/** `text` is safe to show: it has no control characters of an agent. */
export function colourDiff(context: CliContext, text: string): string {
  if (!context.terminal.colour) return text;
  let isInHunk = false;
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('diff --git ')) isInHunk = false;
    if (line.startsWith('@@ ')) isInHunk = true;
    const style = styleOf(line, isInHunk);
    return style === undefined ? line : paint(context, style, line);
  });
  return lines.join('\n');
}

/** The lines before a hunk name the file. Inside it, a removed line may begin like one of them. */
function styleOf(line: string, isInHunk: boolean): Style | undefined {
  if (line === '') return undefined;
  if (!isInHunk) return line.startsWith('# ') ? 'yellow' : 'bold';
  if (line.startsWith('@@ ')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : undefined;
}
