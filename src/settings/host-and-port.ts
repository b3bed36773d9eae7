/** Adds the default port, so that two spellings of a host compare as equal texts. */
export function hostAndPort(written: string): string {
  return written.includes(':') ? written : `${written}:443`;
}
