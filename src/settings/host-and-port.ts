/** A host as it is written in a configuration, in one way: whoever compares two compares texts. */
export function hostAndPort(written: string): string {
  return written.includes(':') ? written : `${written}:443`;
}
