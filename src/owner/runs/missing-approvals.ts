/** What of a run's work the person who applies it has not agreed to, and how the refusal says so. */
import { Refusal } from '../../base/errors.ts';
import type { ApplyRequest, Approval } from '../../protocol/api.ts';

const FLAGS: Readonly<
  Record<Approval['needs'], { readonly wish: keyof ApplyRequest; readonly flag: string }>
> = {
  settings: { wish: 'includeSettings', flag: '--include-settings' },
  executing: { wish: 'includeExecuting', flag: '--include-executing' },
  tests: { wish: 'includeTests', flag: '--include-tests' },
};

const KINDS: Readonly<Record<Approval['needs'], string>> = {
  settings: "supervisor's own settings",
  executing: 'files that run by themselves',
  tests: 'tests that were there before the work',
};

const NAMES_MAX = 10;

export function missingApprovals(
  approvals: readonly Approval[],
  wish: ApplyRequest,
): readonly Approval[] {
  return approvals.filter(({ needs }) => wish[FLAGS[needs].wish] !== true);
}

export function needsApproval(run: string, missing: readonly Approval[]): Refusal {
  const kinds = [...new Set(missing.map(({ needs }) => needs))].toSorted();
  const parts = kinds.map((kind) => {
    const paths = missing.filter(({ needs }) => needs === kind).map(({ path }) => path);
    const more = paths.length > NAMES_MAX ? ` and ${paths.length - NAMES_MAX} more` : '';
    return `${KINDS[kind]} (${paths.slice(0, NAMES_MAX).join(', ')}${more})`;
  });
  const flags = kinds.map((kind) => FLAGS[kind].flag).join(' ');
  return new Refusal({
    code: 'workspace.needs-approval',
    message: `The work changes ${parts.join(' and ')}. Nothing was applied.`,
    hint: `Look at them with: supervisor diff ${run}; take them with: supervisor apply ${run} ${flags}`,
    details: { count: missing.length, flags },
  });
}
