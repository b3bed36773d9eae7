/** The circuit breakers of steps, as scripts read them. */
import { z } from 'zod';
import type { BreakerView } from '../protocol/breaker.ts';
import { documentSchema, field, time, toIso } from './document.ts';

export const BreakersDocument = documentSchema(
  'breakers',
  'Steps of workflows that have failed lately, and whether they may start.',
  {
    breakers: z.array(
      z.strictObject({
        project: z.string(),
        workflow: z.string(),
        step: z.string(),
        state: field(
          z.enum(['closed', 'open', 'half_open']),
          'open: the step is not started. half_open: one run may try it.',
        ),
        failures: field(z.int(), 'The failures that count.'),
        last_failed_at: time,
        until: field(time.nullable(), 'When one run may try it. Null: now.'),
        tried_by: field(z.string().nullable(), 'The run that tries it. Null: none.'),
        reason: field(z.string(), 'Why it failed last.'),
      }),
    ),
  },
);

export function breakersDocument(all: readonly BreakerView[]): z.infer<typeof BreakersDocument> {
  return {
    schema: 'supervisor.breakers/1',
    breakers: all.map((one) => ({
      project: one.project,
      workflow: one.workflow,
      step: one.step,
      state: one.state === 'half-open' ? 'half_open' : one.state,
      failures: one.failures,
      last_failed_at: toIso(one.lastFailedAt),
      until: one.until === null ? null : toIso(one.until),
      tried_by: one.probe,
      reason: one.reason,
    })),
  };
}
