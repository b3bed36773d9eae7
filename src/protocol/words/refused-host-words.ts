/** Why a program in a sandbox did not reach a host, in words. The record has the code in brackets after the host. */

const WORDS: Readonly<Record<string, string>> = {
  'not-allowed': 'it is not on the list',
  'special-address': 'its name leads to an address of this machine or to one that is reserved',
  'no https': 'it is http, and only https is let through',
  'bad-authority': 'it is no name of a host with a port',
  unresolved: 'its name has no address',
  unreachable: 'it does not answer',
  'too-many': 'too many connections were open',
};

/** `localhost:4873 (no https)` with its reason in words. A reason without words stays as it is. */
export function describeRefusedHost(refused: string): string {
  return refused.replace(/ \(([a-z -]+)\)$/, (all, code: string) => {
    const words = WORDS[code];
    return words === undefined ? all : `, because ${words}`;
  });
}
