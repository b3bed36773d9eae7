/** Words of a role file inside one of our sentences: one line, without a full stop, and without a capital. */
export function asClause(text: string): string {
  const words = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.!]+$/, '');
  const isOrdinary = /^[A-Z][a-z]/.test(words);
  return isOrdinary ? `${words.slice(0, 1).toLowerCase()}${words.slice(1)}` : words;
}
