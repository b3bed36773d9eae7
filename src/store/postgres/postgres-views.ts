/**
 * The views of `sqlite/views.ts` in the words of PostgreSQL. They hold nothing. `facts` and `submissions` are for the
 * others, and for people who read payloads.
 */
import { postgresFeatureViews } from './postgres-feature-views.ts';

/**
 * `as_json`: text as `jsonb`, which has neither the character 0 nor half of a surrogate pair. They become U+FFFD.
 * `glob`: the patterns of SQLite's GLOB that the views use.
 */
export const VIEW_FUNCTIONS = (schema: string): string => String.raw`
  CREATE OR REPLACE FUNCTION ${schema}.as_json(payload text) RETURNS jsonb
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT CASE WHEN payload ~ '\\u(0000|d[89a-f])'
      THEN regexp_replace(
        payload, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb
      ELSE payload::jsonb END
  $body$;
  CREATE OR REPLACE FUNCTION ${schema}.glob(value text, pattern text) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT value ~ (
      '^' || replace(regexp_replace(pattern, '([.^$+?(){}|\\])', '\\\1', 'g'), '*', '.*') || '$')
  $body$;
  CREATE OR REPLACE FUNCTION ${schema}.object_of(value jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT CASE WHEN jsonb_typeof(value) = 'object' THEN value END
  $body$;
  CREATE OR REPLACE FUNCTION ${schema}.array_of(value jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT CASE WHEN jsonb_typeof(value) = 'array' THEN value END
  $body$;`;

const facts = (s: string): string => `CREATE VIEW ${s}.facts AS
  SELECT id, stream, seq, type, at, ${s}.as_json(payload) AS payload FROM ${s}.events`;

const submissions = (s: string): string => `CREATE VIEW ${s}.submissions AS
  SELECT
    stream,
    substr(stream, 5) AS run,
    at,
    CASE type WHEN 'run.forked' THEN payload ->> 'from' END AS continues,
    CASE type WHEN 'run.forked' THEN (payload ->> 'seq')::bigint END AS continues_at,
    CASE type WHEN 'run.forked' THEN payload -> 'submission' ELSE payload END AS submission
  FROM ${s}.facts
  WHERE seq = 1 AND type IN ('run.submitted', 'run.forked')`;

const stepOfKey = (s: string): string => `(
  SELECT step.key
  FROM jsonb_each(${s}.object_of(first.submission #> '{settings,workflow,definition,steps}')) AS step
  WHERE ${s}.glob(begun.payload ->> 'key',
    '*-' || lower(replace(replace(replace(step.key, '_', '-'), '.', '-'), ' ', '-')) || '-[0-9]*')
  ORDER BY length(step.key) DESC LIMIT 1
)`;

const componentOfRun = (s: string): string => `(
  SELECT component.value ->> 'id'
  FROM ${s}.submissions AS feature,
    jsonb_array_elements(${s}.array_of(feature.submission #> '{settings,feature,plan,phases}'))
      AS phase(value),
    jsonb_array_elements(${s}.array_of(phase.value -> 'components')) AS component(value)
  WHERE feature.run = first.submission #>> '{parent,run}'
    AND ${s}.glob(
      first.submission #>> '{parent,key}', 'run-' || lower(component.value ->> 'id') || '-*')
  LIMIT 1
)`;

const workflow = (s: string): string => `CREATE VIEW ${s}.workflow AS
  SELECT
    runs.id,
    CASE WHEN runs.ended_at IS NULL THEN (
      SELECT coalesce(${stepOfKey(s)}, begun.payload ->> 'key')
      FROM ${s}.facts AS begun
      WHERE begun.stream = 'run/' || runs.id AND begun.type = 'command.begun'
        AND NOT EXISTS (
          SELECT 1 FROM ${s}.facts AS later
          WHERE later.stream = begun.stream AND later.seq > begun.seq
            AND later.type = 'command.ended'
            AND later.payload ->> 'key' = begun.payload ->> 'key'
        )
      ORDER BY begun.seq DESC LIMIT 1
    ) END AS current_step,
    ${componentOfRun(s)} AS component,
    CASE
      WHEN runs.ended_at IS NULL THEN 'active'
      WHEN ${s}.as_json(runs.view) #>> '{outcome,kind}' IN ('succeeded', 'unverified')
        THEN 'completed'
      ELSE 'failed'
    END AS status,
    runs.submitted_at AS created_at,
    (
      SELECT latest.at FROM ${s}.events AS latest
      WHERE latest.stream = 'run/' || runs.id ORDER BY latest.seq DESC LIMIT 1
    ) AS updated_at
  FROM ${s}.runs JOIN ${s}.submissions AS first ON first.run = runs.id`;

const checkpoints = (s: string): string => `CREATE VIEW ${s}.checkpoints AS
  SELECT
    begun.id,
    substr(begun.stream, 5) AS workflow_id,
    begun.payload #>> '{input,work,commit}' AS git_sha,
    begun.payload -> 'input' AS context_snapshot,
    begun.at AS timestamp
  FROM ${s}.facts AS begun
  WHERE begun.type = 'command.begun' AND (
    begun.payload ->> 'command' IN ('commit-work', 'assess-change')
    OR begun.payload ->> 'command' = 'prepare-step'
      AND NOT ${s}.glob(begun.payload ->> 'key', 'prepare-*-[0-9]*-[2-9]*-*')
    OR begun.payload ->> 'command' = 'gate'
      AND begun.payload #>> '{input,work,commit}' IS NOT NULL
      AND ${s}.glob(begun.payload ->> 'key', 'gate-*-[0-9]*-1')
  )
  UNION ALL
  SELECT
    noted.id,
    substr(noted.stream, 5),
    noted.payload #>> '{note,commit}',
    coalesce(${s}.as_json(snapshots.state), noted.payload -> 'note'),
    noted.at
  FROM ${s}.facts AS noted
  LEFT JOIN ${s}.snapshots ON snapshots.stream = noted.stream AND snapshots.seq = noted.seq
  WHERE noted.type = 'command.noted' AND noted.payload #>> '{note,kind}' = 'committed'
  UNION ALL
  SELECT
    folded.id,
    substr(folded.stream, 5),
    (
      SELECT noted.payload #>> '{note,commit}' FROM ${s}.facts AS noted
      WHERE noted.stream = folded.stream AND noted.seq < folded.seq
        AND noted.type = 'command.noted' AND noted.payload #>> '{note,kind}' = 'committed'
      ORDER BY noted.seq DESC LIMIT 1
    ),
    ${s}.as_json(snapshots.state),
    folded.at
  FROM ${s}.snapshots
  JOIN ${s}.facts AS folded ON folded.stream = snapshots.stream AND folded.seq = snapshots.seq
  WHERE snapshots.stream LIKE 'run/%' AND NOT (
    folded.type = 'command.noted'
    AND coalesce(folded.payload #>> '{note,kind}', '') = 'committed'
  )`;

const roleOfStep = (s: string): string => `(
  SELECT prepared.payload #>> '{input,role}' FROM ${s}.facts AS prepared
  WHERE prepared.stream = fact.stream AND prepared.seq < fact.seq
    AND prepared.type = 'command.begun' AND prepared.payload ->> 'command' = 'prepare-step'
    AND prepared.payload ->> 'key'
      = 'prepare' || substr(fact.payload ->> 'key', strpos(fact.payload ->> 'key', '-'))
  ORDER BY prepared.seq DESC LIMIT 1
)`;

const workflowEvents = (s: string): string => `CREATE VIEW ${s}.workflow_events AS
  WITH fact AS (
    SELECT
      id, stream, seq, type, at, payload,
      payload ->> 'command' AS command,
      payload -> 'input' AS input,
      payload #>> '{end,kind}' AS ending,
      payload #> '{end,result}' AS result
    FROM ${s}.facts WHERE stream LIKE 'run/%'
  ),
  named AS (
    SELECT
      fact.*,
      coalesce(
        input ->> 'role',
        CASE WHEN command IN ('run', 'collect-step') THEN ${roleOfStep(s)} END,
        first.submission #>> '{settings,brief,role}'
      ) AS role,
      first.submission
    FROM fact JOIN ${s}.submissions AS first ON first.stream = fact.stream
  ),
  typed AS (
    SELECT
      *,
      CASE
        WHEN type IN ('run.submitted', 'run.forked', 'run.ended') THEN 'transition'
        WHEN type = 'command.begun' AND command = 'attempt'
          THEN CASE WHEN input #>> '{why,kind}' = 'first' THEN 'transition' ELSE 'retry' END
        WHEN type = 'command.begun' AND command = 'prepare-step'
          THEN CASE WHEN input ->> 'feedback' IS NULL THEN 'transition' ELSE 'retry' END
        WHEN type = 'command.begun' AND command = 'wait' AND input ->> 'reason' = 'retry'
          THEN 'retry'
        WHEN type = 'command.begun' AND command IN ('ask', 'commit-work') THEN 'transition'
        WHEN type <> 'command.ended' THEN NULL
        WHEN ending <> 'done' THEN 'error'
        WHEN command IN ('gate', 'baseline') THEN 'gate'
        WHEN command = 'attempt'
          THEN CASE WHEN result ->> 'kind' = 'failed' THEN 'error' ELSE 'transition' END
        WHEN command IN ('prepare-step', 'commit-work') AND result ->> 'kind' = 'refused'
          THEN 'error'
        WHEN command = 'collect-step' AND result ->> 'failure' IS NOT NULL THEN 'error'
        WHEN command = 'collect-step' THEN CASE WHEN (
            SELECT each.value ->> 'answer'
            FROM jsonb_each(${s}.object_of(submission #> '{settings,workflow,roles}')) AS each
            WHERE each.key = role
          ) = 'review' THEN 'review' ELSE 'transition' END
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
      WHEN type = 'run.ended' THEN payload #>> '{outcome,kind}'
      WHEN type = 'command.begun' THEN 'begun'
      WHEN ending <> 'done' THEN ending
      ELSE coalesce(
        result ->> 'reason', result #>> '{failure,reason}', result #>> '{outcome,kind}',
        result #>> '{answer,status}', result ->> 'kind', 'done')
    END AS status,
    payload,
    coalesce(result #>> '{spent,usd}', result #>> '{usage,costUsd}')::double precision
      AS cost_estimate,
    at AS timestamp
  FROM typed WHERE event_type IS NOT NULL`;

const metrics = (s: string): string => `CREATE VIEW ${s}.metrics AS
  SELECT
    ended.id,
    ended.at AS timestamp,
    first.submission #>> '{settings,brief,role}' AS role,
    begun.payload #>> '{input,agent,cli}' AS cli,
    coalesce(first.submission #>> '{settings,brief,answer}', 'task') AS task_type,
    (ended.payload #>> '{end,result,kind}' IS NOT DISTINCT FROM 'completed')::int AS success,
    (begun.payload #>> '{input,number}')::int - 1 AS retry_count,
    (ended.at - begun.at) / 1000.0 AS duration_seconds,
    (ended.payload #>> '{end,result,usage,inputTokens}')::bigint
      + (ended.payload #>> '{end,result,usage,outputTokens}')::bigint AS token_usage,
    (ended.payload #>> '{end,result,usage,costUsd}')::double precision AS cost_estimate,
    ended.payload #>> '{end,result,failure,category}' AS error_category
  FROM ${s}.facts AS ended
  JOIN ${s}.submissions AS first ON first.stream = ended.stream
  JOIN ${s}.facts AS begun ON begun.stream = ended.stream AND begun.type = 'command.begun'
    AND begun.payload ->> 'key' = ended.payload ->> 'key'
  WHERE ended.type = 'command.ended' AND ended.payload ->> 'command' = 'attempt'`;

/** In an order in which each view comes after those that it reads. */
export const POSTGRES_VIEWS = (schema: string): Readonly<Record<string, string>> => ({
  facts: facts(schema),
  submissions: submissions(schema),
  workflow: workflow(schema),
  checkpoints: checkpoints(schema),
  workflow_events: workflowEvents(schema),
  metrics: metrics(schema),
  ...postgresFeatureViews(schema),
});
