/** The characters that turn one frame into the next: only lines that differ are written. */

/** The alternate screen, no cursor, no wrapping at the right edge, and pastes that are marked as such. */
export const ENTER = '\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[?2004h\u001B[2J';
/** The same in the opposite order, with plain colors. */
export const LEAVE = '\u001B[?2026l\u001B[0m\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[?1049l';

const BEGIN_UPDATE = '\u001B[?2026h';
const END_UPDATE = '\u001B[?2026l';

/** `before` is null if nothing is known about the screen, such as after a change of its size. */
export function frameUpdate(before: readonly string[] | null, after: readonly string[]): string {
  const rows = after.flatMap((text, row) =>
    before?.[row] === text ? [] : [`\u001B[${row + 1};1H\u001B[2K${text}`],
  );
  for (let row = after.length; row < (before?.length ?? 0); row += 1)
    rows.push(`\u001B[${row + 1};1H\u001B[2K`);
  if (before === null) rows.unshift('\u001B[2J');
  // Terminals that know these marks show the update at once; others ignore them.
  return rows.length === 0 ? '' : `${BEGIN_UPDATE}${rows.join('')}${END_UPDATE}`;
}

/** For a screen reader: the lines that were not there before, each once, as a text that only grows. */
export function spokenUpdate(before: readonly string[] | null, after: readonly string[]): string {
  const known = new Set(before ?? []);
  const fresh = after.filter((text) => text.trim() !== '' && !known.has(text));
  return fresh.map((text) => `${text}\n`).join('');
}
