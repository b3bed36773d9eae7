import { z } from 'zod';
import type { MetricsRow, MetricsView } from '../protocol/views/metrics-view.ts';
import { METRIC_GROUPS } from '../protocol/metric-groups.ts';
import { costUsd, documentSchema, durationMs, field, time, tokens, toIso } from './document.ts';

const share = field(
  z.strictObject({ low: z.number(), high: z.number() }).nullable(),
  'The Wilson interval of the share, at 95 %. Null: there are no cases.',
);

const Group = z.strictObject({
  name: field(z.string().nullable(), 'Null: its attempts have none, such as a role.'),
  attempts: z.int(),
  runs: z.int(),
  ended: field(z.int(), 'Attempts that no person stopped and no end of the owner interrupted.'),
  completed: field(z.int(), 'How many of them the agent completed.'),
  completed_share: share,
  judged: field(z.int(), 'Attempts whose work at least one required gate judged.'),
  verified: field(z.int(), 'How many of them have only green gates.'),
  verified_share: share,
  retries: field(z.int(), 'Attempts that exist because an earlier one failed.'),
  duration_ms: field(durationMs, 'Of all attempts.'),
  median_duration_ms: durationMs.nullable(),
  model_ms: field(durationMs.nullable(), 'With an open model call. Null: no call was counted.'),
  tool_ms: field(durationMs.nullable(), 'The rest: tools, and the CLI itself.'),
  throttled_ms: field(durationMs, 'Waits before the attempts for limits, cooldowns and retries.'),
  queued_ms: field(durationMs, 'Waits for a free place.'),
  total_tokens: tokens,
  cost_usd: costUsd,
  known_cost_usd: field(z.number().nullable(), 'The part of the cost whose price is known.'),
  cost_per_verified_usd: field(
    z.number().nullable(),
    'The cost of all attempts, divided by the verified ones. Null: not known, or none is verified.',
  ),
  failures: field(
    z.array(z.strictObject({ reason: z.string(), attempts: z.int() })),
    'The most frequent first.',
  ),
  best: field(z.boolean(), 'Of several groups with enough attempts, the best lower bound.'),
});

export const MetricsDocument = documentSchema(
  'metrics',
  'What recorded attempts have given and cost, in groups.',
  {
    since: time,
    until: time,
    by: z.enum(METRIC_GROUPS),
    total: Group,
    groups: z.array(Group),
    failures: z.array(
      z.strictObject({
        reason: z.string(),
        category: z.string().nullable(),
        attempts: z.int(),
        counts: field(z.array(z.int()), 'For each sixth of the time, the oldest first.'),
      }),
    ),
    utilization: field(
      z.number().nullable(),
      'Time in which agents worked, of all time in which they worked or runs waited for them.',
    ),
    saturation: field(z.number().nullable(), 'Time in which runs waited for a free place, of it.'),
    amplification: field(z.number().nullable(), 'Attempts for each run.'),
    left_out: field(z.int(), 'Older attempts that are not counted because there are too many.'),
  },
);

export function metricsDocument(view: MetricsView): z.infer<typeof MetricsDocument> {
  const { by, utilization, saturation, amplification } = view;
  return {
    schema: 'supervisor.metrics/1',
    since: toIso(view.since),
    until: toIso(view.until),
    by,
    total: groupOf(view.total),
    groups: view.rows.map(groupOf),
    failures: view.failures,
    utilization,
    saturation,
    amplification,
    left_out: view.leftOut,
  };
}

function groupOf(row: MetricsRow): z.infer<typeof Group> {
  return {
    name: row.name,
    attempts: row.attempts,
    runs: row.runs,
    ended: row.ended,
    completed: row.completed,
    completed_share: row.completedShare,
    judged: row.judged,
    verified: row.verified,
    verified_share: row.verifiedShare,
    retries: row.retries,
    duration_ms: row.durationMs,
    median_duration_ms: row.medianMs,
    model_ms: row.modelMs,
    tool_ms: row.toolMs,
    throttled_ms: row.throttledMs,
    queued_ms: row.queuedMs,
    total_tokens: row.tokens,
    cost_usd: row.costPartial ? null : row.costUsd,
    known_cost_usd: row.costUsd,
    cost_per_verified_usd: row.costPerVerifiedUsd,
    failures: row.failures,
    best: row.isBest,
  };
}
