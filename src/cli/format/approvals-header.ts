/** The changes that need a flag of `apply`, as the head of a diff. */
import type { Approval } from '../../protocol/api.ts';

const HEADS: Readonly<Record<Approval['needs'], string>> = {
  settings: 'Changes to Supervisor settings; to apply them, add --include-settings:',
  executing: 'Changes to files that run by themselves; to apply them, add --include-executing:',
  tests: 'Changes to existing tests; to apply them, add --include-tests:',
};
const KINDS = ['settings', 'executing', 'tests'] as const;

/** Every line begins with `#`, so that a program that reads the diff skips it. Empty if no change needs approval. */
export function approvalLines(approvals: readonly Approval[]): string {
  const lines = KINDS.flatMap((kind) => {
    const some = approvals.filter(({ needs }) => needs === kind);
    return some.length === 0
      ? []
      : [`# ${HEADS[kind]}`, ...some.map(({ path, why }) => `#   ${path}: ${why}`)];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}
