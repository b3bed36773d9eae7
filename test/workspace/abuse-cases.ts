/** The cases of abuse that concern git and the workspace, by their number, and where each is tried. */
export type AbuseCase = {
  readonly number: string;
  readonly what: string;
  /** The file here whose tests are named after it; the sandbox's own suite tries the rest of some. */
  readonly triedIn: 'abuse.test.ts' | 'attack-matrix.test.ts';
};

export const ABUSE_CASES: readonly AbuseCase[] = [
  {
    number: '1',
    what: 'a symlink out of the tree, read or written through',
    triedIn: 'abuse.test.ts',
  },
  { number: '2', what: 'a file swapped for a symlink while it is read', triedIn: 'abuse.test.ts' },
  { number: '3', what: 'a hard link to a file outside', triedIn: 'abuse.test.ts' },
  { number: '4', what: 'hooks in .git', triedIn: 'attack-matrix.test.ts' },
  { number: '5', what: 'settings that name programs', triedIn: 'attack-matrix.test.ts' },
  { number: '6', what: '.git replaced by a pointer elsewhere', triedIn: 'attack-matrix.test.ts' },
  { number: '7', what: 'a repository inside that hides files', triedIn: 'abuse.test.ts' },
  { number: '8', what: 'LFS pointers and a missing filter', triedIn: 'abuse.test.ts' },
  { number: '9', what: 'the definition of its own gate, edited', triedIn: 'abuse.test.ts' },
  { number: '10', what: 'names that collide in case or mean .git', triedIn: 'abuse.test.ts' },
  { number: '11', what: 'pipes, sockets and huge sparse files', triedIn: 'abuse.test.ts' },
  { number: '12', what: 'locks left by a killed owner', triedIn: 'abuse.test.ts' },
  { number: '12a', what: 'objects shared with the user', triedIn: 'attack-matrix.test.ts' },
  { number: '38', what: 'a git of its own in the tree', triedIn: 'abuse.test.ts' },
];
