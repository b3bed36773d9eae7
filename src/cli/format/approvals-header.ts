/** The head of a diff: whether the work is applied, and the changes that need a flag of `apply`. */
import type { Approval } from '../../protocol/api.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import { describeApplied } from '../../protocol/views/applied-view.ts';

const HEADS: Readonly<Record<Approval['needs'], string>> = {
  settings: 'Changes to Supervisor settings; to apply them, add --include-settings:',
  executing: 'Changes to files that run by themselves; to apply them, add --include-executing:',
  tests: 'Changes to existing tests; to apply them, add --include-tests:',
};
const KINDS = ['settings', 'executing', 'tests'] as const;

/** It begins with `#`, so that a program that reads the diff skips it. */
export function appliedLine(applied: AppliedView | null, now: number): string {
  return applied === null ? '' : `# ${describeApplied(applied, now)}\n\n`;
}

/** What `apply` needs for these changes, ready to be appended to a command: ` --include-tests`. Empty: nothing. */
export function approvalFlags(approvals: readonly Approval[]): string {
  const kinds = [...new Set(approvals.map(({ needs }) => needs))].toSorted();
  return kinds.map((kind) => ` --include-${kind}`).join('');
}

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
