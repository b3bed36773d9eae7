/**
 * The first of several values that a JSON text has for `max_tokens` at its top level. Parsers
 * differ in which one they take.
 */
export function firstMaxTokens(text: string): number {
  return Number(/"max_tokens":\s*"?(\d+)/.exec(text)?.[1] ?? 0);
}
