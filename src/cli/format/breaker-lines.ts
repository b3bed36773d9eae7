/** The lines of `status ID` about circuit breakers: which steps of the workflow are not started, and why. */
import { formatDuration } from '../../base/format-duration.ts';
import { oneLine, plural } from '../../base/text.ts';
import type { BreakerView } from '../../protocol/breaker.ts';
import type { RunView } from '../../protocol/views/run-view.ts';

type Line = readonly [label: string, text: string];

/** Closed breakers are left out, and those of other projects and workflows. */
export function breakerLines(
  { project, workflow, endedAt }: Pick<RunView, 'project' | 'workflow' | 'endedAt'>,
  breakers: readonly BreakerView[],
  now: number,
): readonly Line[] {
  if (workflow === null || endedAt !== null) return [];
  return breakers
    .filter((one) => one.project === project && one.workflow === workflow.name)
    .filter(({ state }) => state !== 'closed')
    .map(({ step, state, until, failures, reason, probe }): Line => {
      const open = until === null ? state : `${state} for ${formatDuration(until - now)}`;
      const tried = probe === null ? '' : `, tried by run ${probe}`;
      return [
        'breaker',
        `${step}: ${open} after ${plural(failures, 'failure')}${tried}; last: ${oneLine(reason)}`,
      ];
    });
}
