import { Refusal } from '../base/errors.ts';

/** The size limits of a tree. A larger tree is refused, rather than filling a disk or taking hours. */
export type TreeLimits = {
  readonly filesMax: number;
  readonly fileBytesMax: number;
  readonly bytesMax: number;
};

export const TREE_LIMITS: TreeLimits = {
  filesMax: 200_000,
  fileBytesMax: 100_000_000,
  bytesMax: 4_000_000_000,
};

export function tooLarge(message: string): Refusal {
  return new Refusal({
    code: 'workspace.too-large',
    message,
    hint: 'Exclude what the agent does not need with .gitignore.',
  });
}
