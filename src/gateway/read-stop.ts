/** Each provider's own word for an answer that ended because it was as long as it may be. */
const LENGTH = new Set(['max_tokens', 'length', 'incomplete', 'MAX_TOKENS']);

export function isLengthStop(stop: string | null): boolean {
  return stop !== null && LENGTH.has(stop);
}
