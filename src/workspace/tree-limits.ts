import { Refusal } from '../base/errors.ts';

/** How much a tree may hold. Beyond it we refuse, rather than fill a disk or take all day. */
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
    hint: 'Leave out what the agent does not need with .gitignore, or raise the limit.',
  });
}
