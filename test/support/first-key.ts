/** The first of several values that a JSON text has for `max_tokens` at its top: parsers differ in which they take. */
export function firstMaxTokens(text: string): number {
  return Number(/"max_tokens":\s*"?(\d+)/.exec(text)?.[1] ?? 0);
}
