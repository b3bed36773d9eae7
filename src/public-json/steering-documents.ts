/** What is found in the turns of agents, as scripts read it. */
import { z } from 'zod';
import { DETECTORS, THRESHOLDS } from '../protocol/contracts/steering-contract.ts';
import type { ThresholdChanges } from '../protocol/contracts/steering-contract.ts';
import type { Share, SteeringRow } from '../reports/steering-report.ts';
import { STEERING_CHANNELS, STEERING_VERDICTS } from '../reports/steering-report.ts';
import type { ReplayedAnomaly } from '../turns/replayed-anomaly.ts';
import { documentSchema, field, runId, time, toIso } from './document.ts';

const detector = field(z.enum(DETECTORS), 'The detector that found it.');

export const SteeringReplayDocument = documentSchema(
  'steering-replay',
  'What would have been found in the recorded turns of a run.',
  {
    run_id: runId,
    turns: field(z.int(), 'How many turns are recorded.'),
    thresholds: field(
      z.partialRecord(z.enum(Object.keys(THRESHOLDS)), z.number()),
      'The thresholds that --set changed.',
    ),
    anomalies: z.array(
      z.strictObject({
        attempt: field(z.string(), 'The key of the attempt, such as attempt-1.'),
        conversation_id: z.string(),
        turn: field(z.int(), 'The turn of the conversation at which it is found.'),
        at: time,
        detector,
        message: field(z.string(), 'What the agent would be told.'),
      }),
    ),
  },
);

export function steeringReplayDocument(
  run: string,
  turns: number,
  thresholds: ThresholdChanges,
  anomalies: readonly ReplayedAnomaly[],
): z.infer<typeof SteeringReplayDocument> {
  return {
    schema: 'supervisor.steering-replay/1',
    run_id: run,
    turns,
    thresholds: { ...thresholds },
    anomalies: anomalies.map(({ attempt, conversation, turn, at, detector: name, message }) => ({
      attempt,
      conversation_id: conversation,
      turn,
      at: toIso(at),
      detector: name,
      message,
    })),
  };
}

const ShareFields = z.strictObject({
  share: field(z.number(), 'From 0 to 1.'),
  low: field(z.number(), 'The lower Wilson bound at 95 %.'),
  high: field(z.number(), 'The upper Wilson bound at 95 %.'),
});

export const SteeringReportDocument = documentSchema(
  'steering-report',
  'Whether the messages of each detector pay, by model and channel.',
  {
    runs: field(z.int(), 'How many ended runs were read, the newest first.'),
    rows: z.array(
      z.strictObject({
        detector,
        model: z.string(),
        channel: field(
          z.enum(STEERING_CHANNELS),
          'How a message reaches the agent while it works.',
        ),
        n: field(z.int(), 'Runs in which the anomaly was found.'),
        unjudged: field(z.int(), 'Those that no gate has judged, or that a person stopped.'),
        untold: field(z.int(), 'Judged runs in which the agent was not told.'),
        told: field(z.int(), 'Judged runs in which the agent was told.'),
        p: field(ShareFields.nullable(), 'How often untold runs fail. Null: there are none.'),
        p_told: field(ShareFields.nullable(), 'How often told runs fail. Null: there are none.'),
        r: field(z.number().nullable(), 'The least share of failing runs that a message saves.'),
        d: field(z.number().nullable(), 'The least share of healthy runs that it disturbs.'),
        p_star: field(z.number().nullable(), 'd / (r + d). A message pays if p is higher.'),
        verdict: field(z.enum(STEERING_VERDICTS), 'pays: the bounds do not overlap.'),
      }),
    ),
  },
);

export function steeringReportDocument(
  runs: number,
  rows: readonly SteeringRow[],
): z.infer<typeof SteeringReportDocument> {
  return {
    schema: 'supervisor.steering-report/1',
    runs,
    rows: rows.map((row) => ({
      detector: row.detector,
      model: row.model,
      channel: row.channel,
      n: row.cases,
      unjudged: row.unjudged,
      untold: row.untold,
      told: row.told,
      p: shareFields(row.p),
      p_told: shareFields(row.failsWhenTold),
      r: row.r,
      d: row.d,
      p_star: row.pStar,
      verdict: row.verdict,
    })),
  };
}

function shareFields(share: Share | null): z.infer<typeof ShareFields> | null {
  return share === null ? null : { ...share };
}
