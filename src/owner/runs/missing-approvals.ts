/**
 * The parts of a run's work that the person who applies it has not approved, and the refusal that
 * lists them.
 */
import { Refusal } from '../../base/errors.ts';
import type { ApplyRequest, Approval } from '../../protocol/api.ts';

const FLAGS: Readonly<
  Record<Approval['needs'], { readonly request: keyof ApplyRequest; readonly flag: string }>
> = {
  settings: { request: 'includeSettings', flag: '--include-settings' },
  executing: { request: 'includeExecuting', flag: '--include-executing' },
  tests: { request: 'includeTests', flag: '--include-tests' },
};

const KINDS: Readonly<Record<Approval['needs'], string>> = {
  settings: "supervisor's own settings",
  executing: 'files that run by themselves',
  tests: 'tests that were there before the work',
};

const NAMES_MAX = 10;

export function missingApprovals(
  approvals: readonly Approval[],
  request: ApplyRequest,
): readonly Approval[] {
  return approvals.filter(({ needs }) => request[FLAGS[needs].request] !== true);
}

/** The flags that were given are named again, so that the line can be typed as it is. */
export function needsApproval(
  run: string,
  missing: readonly Approval[],
  request: ApplyRequest,
): Refusal {
  const kinds = [...new Set(missing.map(({ needs }) => needs))].toSorted();
  const parts = kinds.map((kind) => {
    const paths = missing.filter(({ needs }) => needs === kind).map(({ path }) => path);
    const more = paths.length > NAMES_MAX ? ` and ${paths.length - NAMES_MAX} more` : '';
    return `${KINDS[kind]} (${paths.slice(0, NAMES_MAX).join(', ')}${more})`;
  });
  const given = Object.values(FLAGS).filter((one) => request[one.request] === true);
  const flags = [
    ...given.map(({ flag }) => flag),
    ...kinds.map((kind) => FLAGS[kind].flag),
    ...(request.evenIfFailed === true ? ['--even-if-failed'] : []),
  ].join(' ');
  return new Refusal({
    code: 'workspace.needs-approval',
    message: `The work changes ${parts.join(' and ')}. Nothing was applied.`,
    hint: `Review them with: supervisor diff ${run}. Approve them with: supervisor apply ${run} ${flags}`,
    details: { count: missing.length, flags },
  });
}
