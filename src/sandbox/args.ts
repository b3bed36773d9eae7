/** Arguments that belong together, on one line. */
export function args(...parts: readonly (string | number)[]): readonly string[] {
  return parts.map(String);
}
