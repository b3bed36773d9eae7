/** Arguments that belong together, on one line of the source. */
export function groupArgs(...parts: readonly (string | number)[]): readonly string[] {
  return parts.map(String);
}
