/** Arguments that belong together, on one line. */
export function groupArgs(...parts: readonly (string | number)[]): readonly string[] {
  return parts.map(String);
}
