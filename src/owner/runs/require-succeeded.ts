/** Decides whether the work of a run may be applied, by how the run ended. */
import { Refusal } from '../../base/errors.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';

/** How each end reads. Undefined: the work may be applied without a question. */
const ENDS: Readonly<Record<RunOutcome['kind'], string | undefined>> = {
  succeeded: undefined,
  unverified: undefined,
  failed: 'failed',
  refused: 'could not start',
  cancelled: 'was stopped',
  killed: 'was killed',
  exhausted: 'failed',
  blocked: 'is blocked',
};

/** Refuses with `workspace.run-failed` unless the run succeeded, no gate judged it, or the person wants its work anyway. */
export function requireSucceeded(
  run: string,
  { kind, reason }: RunOutcome,
  { evenIfFailed = false }: { readonly evenIfFailed?: boolean | undefined },
): void {
  const ended = ENDS[kind];
  if (ended === undefined || evenIfFailed) return;
  throw new Refusal({
    code: 'workspace.run-failed',
    message: `Run ${run} ${ended}: ${reason.replace(/\.?\s*$/, '.')} Nothing was applied.`,
    hint: `Review the work with: supervisor diff ${run}. To apply it anyway: supervisor apply ${run} --even-if-failed`,
    details: { outcome: kind },
  });
}
