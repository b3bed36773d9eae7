/**
 * Views for people with a SQL shell. They hold nothing: each is computed from the facts, so a file that has other ones
 * gets these when it is opened. Times are milliseconds since 1970.
 */

import { FEATURE_VIEWS } from './feature-views.ts';
import { SUBMISSIONS } from './submissions-query.ts';

/**
 * The step of a command of a workflow, from the command's key: the longest name that fits. A key has dashes where a
 * name has other characters.
 */
const STEP_OF_KEY = `(
  SELECT step.key
  FROM json_each(first.submission, '$.settings.workflow.definition.steps') AS step
  WHERE begun.payload ->> '$.key'
    GLOB '*-' || lower(replace(replace(replace(step.key, '_', '-'), '.', '-'), ' ', '-')) || '-[0-9]*'
  ORDER BY length(step.key) DESC LIMIT 1
)`;

/** The component that a child run of a feature builds. The key of the command that started it names the component. */
const COMPONENT_OF_RUN = `(
  SELECT component.value ->> '$.id'
  FROM (${SUBMISSIONS}) AS feature,
    json_each(feature.submission, '$.settings.feature.plan.phases') AS phase,
    json_each(phase.value, '$.components') AS component
  WHERE feature.run = first.submission ->> '$.parent.run'
    AND first.submission ->> '$.parent.key' GLOB 'run-' || lower(component.value ->> '$.id') || '-*'
  LIMIT 1
)`;

/** The row of an open run may lag behind its facts. */
const WORKFLOW = `CREATE VIEW workflow AS
  WITH first AS (${SUBMISSIONS})
  SELECT
    runs.id,
    CASE WHEN runs.ended_at IS NULL THEN (
      SELECT coalesce(${STEP_OF_KEY}, begun.payload ->> '$.key')
      FROM events AS begun
      WHERE begun.stream = 'run/' || runs.id AND begun.type = 'command.begun'
        AND NOT EXISTS (
          SELECT 1 FROM events AS later
          WHERE later.stream = begun.stream AND later.seq > begun.seq
            AND later.type = 'command.ended'
            AND later.payload ->> '$.key' = begun.payload ->> '$.key'
        )
      ORDER BY begun.seq DESC LIMIT 1
    ) END AS current_step,
    ${COMPONENT_OF_RUN} AS component,
    CASE
      WHEN runs.ended_at IS NULL THEN 'active'
      WHEN runs.view ->> '$.outcome.kind' IN ('succeeded', 'unverified') THEN 'completed'
      ELSE 'failed'
    END AS status,
    runs.submitted_at AS created_at,
    (
      SELECT latest.at FROM events AS latest
      WHERE latest.stream = 'run/' || runs.id ORDER BY latest.seq DESC LIMIT 1
    ) AS updated_at
  FROM runs JOIN first ON first.run = runs.id`;

/**
 * The points that a run can continue from: the begin of each step with its work and its input, each commit of work, and
 * each stored fold. A fold has the commit that was the last one then. Only the first reviewer, and the first gate, of a
 * step counts.
 */
const CHECKPOINTS = `CREATE VIEW checkpoints AS
  SELECT
    begun.id,
    substr(begun.stream, 5) AS workflow_id,
    begun.payload ->> '$.input.work.commit' AS git_sha,
    begun.payload -> '$.input' AS context_snapshot,
    begun.at AS timestamp
  FROM events AS begun
  WHERE begun.type = 'command.begun' AND (
    begun.payload ->> '$.command' IN ('commit-work', 'assess-change')
    OR begun.payload ->> '$.command' = 'prepare-step'
      AND begun.payload ->> '$.key' NOT GLOB 'prepare-*-[0-9]*-[2-9]*-*'
    OR begun.payload ->> '$.command' = 'gate' AND begun.payload ->> '$.input.work.commit' IS NOT NULL
      AND begun.payload ->> '$.key' GLOB 'gate-*-[0-9]*-1'
  )
  UNION ALL
  SELECT
    noted.id,
    substr(noted.stream, 5),
    noted.payload ->> '$.note.commit',
    coalesce(snapshots.state, noted.payload -> '$.note'),
    noted.at
  FROM events AS noted
  LEFT JOIN snapshots ON snapshots.stream = noted.stream AND snapshots.seq = noted.seq
  WHERE noted.type = 'command.noted' AND noted.payload ->> '$.note.kind' = 'committed'
  UNION ALL
  SELECT
    folded.id,
    substr(folded.stream, 5),
    (
      SELECT noted.payload ->> '$.note.commit' FROM events AS noted
      WHERE noted.stream = folded.stream AND noted.seq < folded.seq
        AND noted.type = 'command.noted' AND noted.payload ->> '$.note.kind' = 'committed'
      ORDER BY noted.seq DESC LIMIT 1
    ),
    snapshots.state,
    folded.at
  FROM snapshots
  JOIN events AS folded ON folded.stream = snapshots.stream AND folded.seq = snapshots.seq
  WHERE snapshots.stream LIKE 'run/%'
    AND NOT (folded.type = 'command.noted' AND folded.payload ->> '$.note.kind' = 'committed')`;

/** The role of a step is in the command that prepared it, whose key ends in the same way. */
const ROLE_OF_STEP = `(
  SELECT prepared.payload ->> '$.input.role' FROM events AS prepared
  WHERE prepared.stream = fact.stream AND prepared.seq < fact.seq
    AND prepared.type = 'command.begun' AND prepared.payload ->> '$.command' = 'prepare-step'
    AND prepared.payload ->> '$.key'
      = 'prepare' || substr(fact.payload ->> '$.key', instr(fact.payload ->> '$.key', '-'))
  ORDER BY prepared.seq DESC LIMIT 1
)`;

/** One row for each fact that says how the work goes. Others, such as the note of a process id, have no row. */
const WORKFLOW_EVENTS = `CREATE VIEW workflow_events AS
  WITH first AS (${SUBMISSIONS}),
  fact AS (
    SELECT
      id, stream, seq, type, at, payload,
      payload ->> '$.command' AS command,
      payload -> '$.input' AS input,
      payload ->> '$.end.kind' AS ending,
      payload -> '$.end.result' AS result
    FROM events WHERE stream LIKE 'run/%'
  ),
  named AS (
    SELECT
      fact.*,
      coalesce(
        input ->> '$.role',
        CASE WHEN command IN ('run', 'collect-step') THEN ${ROLE_OF_STEP} END,
        first.submission ->> '$.settings.brief.role'
      ) AS role,
      first.submission
    FROM fact JOIN first ON first.stream = fact.stream
  ),
  typed AS (
    SELECT
      *,
      CASE
        WHEN type IN ('run.submitted', 'run.forked', 'run.ended') THEN 'transition'
        WHEN type = 'command.begun' AND command = 'attempt'
          THEN iif(input ->> '$.why.kind' = 'first', 'transition', 'retry')
        WHEN type = 'command.begun' AND command = 'prepare-step'
          THEN iif(input ->> '$.feedback' IS NULL, 'transition', 'retry')
        WHEN type = 'command.begun' AND command = 'wait' AND input ->> '$.reason' = 'retry' THEN 'retry'
        WHEN type = 'command.begun' AND command IN ('ask', 'commit-work') THEN 'transition'
        WHEN type <> 'command.ended' THEN NULL
        WHEN ending <> 'done' THEN 'error'
        WHEN command IN ('gate', 'baseline') THEN 'gate'
        WHEN command = 'attempt' THEN iif(result ->> '$.kind' = 'failed', 'error', 'transition')
        WHEN command IN ('prepare-step', 'commit-work') AND result ->> '$.kind' = 'refused' THEN 'error'
        WHEN command = 'collect-step' AND result ->> '$.failure' IS NOT NULL THEN 'error'
        WHEN command = 'collect-step' THEN iif(
          (
            SELECT each.value ->> '$.answer'
            FROM json_each(submission, '$.settings.workflow.roles') AS each WHERE each.key = role
          ) = 'review', 'review', 'transition')
        WHEN command IN ('run', 'ask', 'commit-work') THEN 'transition'
      END AS event_type
    FROM named
  )
  SELECT
    id,
    substr(stream, 5) AS workflow_id,
    event_type,
    role,
    CASE
      WHEN type IN ('run.submitted', 'run.forked') THEN 'submitted'
      WHEN type = 'run.ended' THEN payload ->> '$.outcome.kind'
      WHEN type = 'command.begun' THEN 'begun'
      WHEN ending <> 'done' THEN ending
      ELSE coalesce(
        result ->> '$.reason', result ->> '$.failure.reason', result ->> '$.outcome.kind',
        result ->> '$.answer.status', result ->> '$.kind', 'done')
    END AS status,
    payload,
    coalesce(result ->> '$.spent.usd', result ->> '$.usage.costUsd') AS cost_estimate,
    at AS timestamp
  FROM typed WHERE event_type IS NOT NULL`;

/** One row for each attempt that has ended. */
const METRICS = `CREATE VIEW metrics AS
  WITH first AS (${SUBMISSIONS})
  SELECT
    ended.id,
    ended.at AS timestamp,
    first.submission ->> '$.settings.brief.role' AS role,
    begun.payload ->> '$.input.agent.cli' AS cli,
    coalesce(first.submission ->> '$.settings.brief.answer', 'task') AS task_type,
    ended.payload ->> '$.end.result.kind' IS 'completed' AS success,
    (begun.payload ->> '$.input.number') - 1 AS retry_count,
    (ended.at - begun.at) / 1000.0 AS duration_seconds,
    (ended.payload ->> '$.end.result.usage.inputTokens')
      + (ended.payload ->> '$.end.result.usage.outputTokens') AS token_usage,
    ended.payload ->> '$.end.result.usage.costUsd' AS cost_estimate,
    ended.payload ->> '$.end.result.failure.category' AS error_category
  FROM events AS ended
  JOIN first ON first.stream = ended.stream
  JOIN events AS begun ON begun.stream = ended.stream AND begun.type = 'command.begun'
    AND begun.payload ->> '$.key' = ended.payload ->> '$.key'
  WHERE ended.type = 'command.ended' AND ended.payload ->> '$.command' = 'attempt'`;

export const VIEWS: Readonly<Record<string, string>> = {
  workflow: WORKFLOW,
  checkpoints: CHECKPOINTS,
  workflow_events: WORKFLOW_EVENTS,
  metrics: METRICS,
  ...FEATURE_VIEWS,
};
