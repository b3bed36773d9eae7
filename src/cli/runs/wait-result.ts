/** What a wait for runs comes to: its exit code, and why that is not 0. */
import { formatDuration } from '../../base/format-duration.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { ErrorFields } from '../../public-json/error-document.ts';
import { simpleError } from '../../public-json/error-document.ts';
import type { InterruptSignal } from '../cli-context.ts';
import { EXIT, EXIT_BY_SIGNAL, exitCodeOf } from '../exit-codes.ts';

/** How a wait ended before the runs did. */
export type CutOff =
  | { readonly kind: 'signal'; readonly signal: InterruptSignal }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  /** One of the runs asks, and the wait is only until then. */
  | { readonly kind: 'asked'; readonly asker: string; readonly advice: string };

type Run = Pick<RunView, 'id' | 'outcome'>;

export type WaitResult = {
  readonly code: number;
  readonly error: ErrorFields | null;
  /** The run that the exit code is of. Null: it is of no run. */
  readonly worst: string | null;
};

/** Undefined: there is a reason to wait longer. */
export function decideWait(
  runs: readonly Run[],
  any: boolean,
  cutOff: CutOff | undefined,
): WaitResult | undefined {
  const ended = runs.flatMap(({ id, outcome }) => (outcome === null ? [] : [{ id, outcome }]));
  const isMet = any ? ended.length > 0 : ended.length === runs.length;
  if (isMet) return worstOf(ended);
  if (cutOff === undefined) return undefined;
  const open = runs.flatMap(({ id, outcome }) => (outcome === null ? [id] : []));
  return { ...resultOfCutOff(cutOff, open), worst: null };
}

type EndedRun = { readonly id: string; readonly outcome: RunOutcome };

/** The highest exit code counts: killed, then stopped, then failed. */
function worstOf(ended: readonly EndedRun[]): WaitResult {
  const [worst] = ended.toSorted((a, b) => exitCodeOf(b.outcome) - exitCodeOf(a.outcome));
  const good = { code: EXIT.ok, error: null, worst: null };
  if (worst === undefined) return good;
  const { id, outcome } = worst;
  if (outcome.kind === 'succeeded' || outcome.kind === 'unverified') return good;
  const remedy = `To see why: supervisor why ${id}`;
  const error = simpleError(`run.${outcome.kind}`, `Run ${id}: ${outcome.reason}`, remedy);
  return { code: exitCodeOf(outcome), error, worst: id };
}

function resultOfCutOff(cutOff: CutOff, open: readonly string[]): Omit<WaitResult, 'worst'> {
  const which = open.length === 1 ? `Run ${open[0]} has` : `The runs ${open.join(', ')} have`;
  const remedy = `Wait again with: supervisor wait ${open.join(' ')}`;
  switch (cutOff.kind) {
    case 'timeout': {
      const { afterMs } = cutOff;
      const limit = afterMs < 1000 ? `${afterMs} ms` : formatDuration(afterMs);
      const message = `${which} not ended within ${limit}.`;
      return { code: EXIT.timeout, error: simpleError('wait.timeout', message, remedy) };
    }
    case 'asked': {
      const message = `${cutOff.asker} asks you something. It continues when you answer.`;
      return { code: EXIT.unproven, error: simpleError('wait.asked', message, cutOff.advice) };
    }
    case 'signal': {
      const message = `${which} not ended yet. A signal ended the wait.`;
      const error = simpleError('command.interrupted', message, remedy);
      return { code: EXIT_BY_SIGNAL[cutOff.signal], error };
    }
  }
}
