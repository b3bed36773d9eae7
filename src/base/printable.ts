/** Control characters, marks that change the text direction, and characters of zero width, which could hide text. */
const UNSAFE_CHARACTERS =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;

/**
 * Makes text from an agent or a file safe to show. Line ends and tabs stay. Every other character that
 * controls a terminal, changes the text direction or is invisible becomes an escape such as `\x1b`.
 * The two joiners stay, because languages and emoji need them.
 */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE_CHARACTERS, (control) => {
    if (control === '\r') return '';
    const code = (control.codePointAt(0) ?? 0).toString(16);
    if (code.length > 4) return `\\u{${code}}`;
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });
}
