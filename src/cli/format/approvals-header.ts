/** The changes that `apply` takes only with a flag, as the head of a diff shows them. */
import type { Approval } from '../../protocol/api.ts';

const HEADS: Readonly<Record<Approval['needs'], string>> = {
  settings: "Changes supervisor's own settings; apply takes them with --include-settings:",
  executing: 'Changes files that run by themselves; apply takes them with --include-executing:',
  tests: 'Changes tests that were there before; apply takes them with --include-tests:',
};
const KINDS = ['settings', 'executing', 'tests'] as const;

/** Every line begins with `#`, so that a program which reads the diff leaves them out. Empty when there are none. */
export function approvalLines(approvals: readonly Approval[]): string {
  const lines = KINDS.flatMap((kind) => {
    const some = approvals.filter(({ needs }) => needs === kind);
    return some.length === 0
      ? []
      : [`# ${HEADS[kind]}`, ...some.map(({ path, why }) => `#   ${path}: ${why}`)];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}
