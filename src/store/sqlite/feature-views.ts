/** Features with their phases and components, for people with a SQL shell. Each run of a feature has rows of its own. */
import { SUBMISSIONS } from './submissions-query.ts';

const FEATURE_RUNS = `
  SELECT first.*, first.submission -> '$.settings.feature.plan' AS plan
  FROM (${SUBMISSIONS}) AS first
  WHERE first.submission ->> '$.program' = 'feature'`;

/** The components of every feature, in the order of its file. */
const PLANNED = `
  SELECT
    of_feature.run, of_feature.at,
    of_feature.plan ->> '$.id' AS feature_id,
    phase.key AS phase_place, phase.value AS phase,
    component.key AS place, component.value AS component,
    component.value ->> '$.id' AS id
  FROM (${FEATURE_RUNS}) AS of_feature,
    json_each(of_feature.plan, '$.phases') AS phase,
    json_each(phase.value, '$.components') AS component
  WHERE component.value ->> '$.node' IS NULL`;

/** A run that continues another one has the facts of that one too, up to the place where it left it. */
const LINES = `
  line(run, source, last_seq) AS (
    SELECT run, run, 9223372036854775807 FROM (${FEATURE_RUNS})
    UNION ALL
    SELECT line.run, first.continues, first.continues_at
    FROM line JOIN (${SUBMISSIONS}) AS first ON first.run = line.source
    WHERE first.continues IS NOT NULL
  ),
  fact AS (
    SELECT line.run, line.source, events.id, events.type, events.payload
    FROM line JOIN events ON events.stream = 'run/' || line.source AND events.seq <= line.last_seq
    WHERE events.type IN ('command.begun', 'command.ended', 'signal.received')
  )`;

/**
 * The keys of its commands name the component. A component that failed without a person is known to have failed when its
 * feature ends. In a graph that has succeeded, a component without any command was skipped. What has landed and starts
 * again is complete only if it ends again, with a new commit or without a change.
 */
const STATES = `
  WITH RECURSIVE ${LINES},
  planned AS (${PLANNED}),
  last_command AS (
    SELECT
      planned.*,
      (
        SELECT max(fact.id) FROM fact
        WHERE fact.run = planned.run AND fact.type = 'command.begun'
          AND fact.payload ->> '$.key' GLOB '*-' || lower(planned.id) || '-*'
      ) AS begun_id,
      EXISTS (
        SELECT 1 FROM fact
        WHERE fact.run = planned.run AND fact.type = 'command.ended'
          AND fact.payload ->> '$.command' = 'commit-work'
          AND fact.payload ->> '$.key' GLOB '*-' || lower(planned.id) || '-*'
          AND fact.payload ->> '$.end.result.commit' IS NOT NULL
      ) AS has_landed,
      (
        SELECT max(fact.id) FROM fact
        WHERE fact.run = planned.run AND fact.source = planned.run
          AND fact.type = 'signal.received'
          AND fact.payload ->> '$.signal.action' = 'skip'
          AND fact.payload ->> '$.signal.component' = planned.id
      ) AS skipped_id,
      EXISTS (
        SELECT 1 FROM events
        WHERE events.stream = 'run/' || planned.run AND events.type = 'run.ended'
      ) AS has_ended,
      EXISTS (
        SELECT 1 FROM events
        WHERE events.stream = 'run/' || planned.run AND events.type = 'run.ended'
          AND events.payload ->> '$.outcome.kind' IN ('succeeded', 'unverified')
      ) AS has_succeeded
    FROM planned
  ),
  latest AS (
    SELECT
      last_command.*,
      begun.payload ->> '$.command' AS command,
      ended.payload -> '$.end.result' AS result,
      begun.source = last_command.run AS is_own
    FROM last_command
    LEFT JOIN fact AS begun ON begun.run = last_command.run AND begun.id = begun_id
    LEFT JOIN fact AS ended ON ended.run = last_command.run AND ended.type = 'command.ended'
      AND ended.id > begun_id AND ended.payload ->> '$.key' = begun.payload ->> '$.key'
  )
  SELECT
    *,
    CASE
      WHEN has_landed AND command = 'commit-work' AND result ->> '$.commit' IS NOT NULL THEN 'complete'
      WHEN has_landed AND command = 'merge-work' AND result ->> '$.names' = '[]' THEN 'complete'
      WHEN has_landed AND command = 'collect-step' AND result ->> '$.kind' IS NULL
        AND json_type(result, '$.work') = 'null' AND result ->> '$.interfaceChanges' IS NULL
        THEN 'complete'
      WHEN has_landed AND component ->> '$.interfaces' IS NOT NULL
        AND result ->> '$.kind' IN ('invalid', 'failed', 'unable') THEN 'complete'
      WHEN command IS NULL AND has_succeeded THEN 'complete'
      WHEN command IS NULL THEN 'pending'
      WHEN has_ended THEN 'failed'
      WHEN skipped_id > begun_id THEN 'failed'
      WHEN command = 'ask' AND result ->> '$.answer' = 'skip' AND is_own THEN 'failed'
      WHEN command = 'ask' AND result ->> '$.answer' IS NOT NULL THEN 'pending'
      WHEN command IN ('merge-work', 'gate', 'commit-work') THEN 'testing'
      WHEN command = 'ask' THEN 'review'
      ELSE 'implementing'
    END AS status
  FROM latest`;

/** What agents build. The interfaces of a phase are a column of their phase. */
const COMPONENTS = `CREATE VIEW components AS
  SELECT
    id,
    phase ->> '$.id' AS phase_id,
    component ->> '$.title' AS title,
    component -> '$.files' AS files,
    component -> '$.dependsOn' AS depends_on,
    status,
    component ->> '$.role' AS assigned_role,
    at AS created_at,
    run
  FROM (${STATES})
  WHERE component ->> '$.interfaces' IS NULL
  ORDER BY run, phase_place, place`;

const PHASES = `CREATE VIEW phases AS
  SELECT
    phase ->> '$.id' AS id,
    feature_id,
    phase ->> '$.title' AS title,
    phase_place + 1 AS sequence,
    CASE
      WHEN sum(status <> 'complete') = 0 THEN 'complete'
      WHEN sum(status = 'failed') > 0 THEN 'failed'
      WHEN sum(status <> 'pending') = 0 THEN 'pending'
      ELSE 'in_progress'
    END AS status,
    max(component ->> '$.interfaces') AS interfaces,
    at AS created_at,
    run
  FROM (${STATES}) GROUP BY run, phase_place ORDER BY run, phase_place`;

const FEATURES = `CREATE VIEW features AS
  SELECT
    feature.plan ->> '$.id' AS id,
    feature.plan ->> '$.title' AS title,
    CASE
      WHEN ended.payload ->> '$.outcome.kind' IN ('succeeded', 'unverified') THEN 'complete'
      WHEN ended.id IS NOT NULL THEN 'failed'
      WHEN EXISTS (
        SELECT 1 FROM (${STATES}) AS part WHERE part.run = feature.run AND part.status = 'review'
      ) THEN 'review'
      WHEN EXISTS (
        SELECT 1 FROM (${STATES}) AS part WHERE part.run = feature.run AND part.status <> 'pending'
      ) THEN 'in_progress'
      ELSE 'planning'
    END AS status,
    feature.at AS created_at,
    ended.at AS completed_at,
    feature.run
  FROM (${FEATURE_RUNS}) AS feature
  LEFT JOIN events AS ended ON ended.stream = feature.stream AND ended.type = 'run.ended'`;

const DEPENDENCIES = `CREATE VIEW dependencies AS
  SELECT planned.id AS component_id, needed.value AS depends_on_id, planned.run
  FROM (${PLANNED}) AS planned, json_each(planned.component, '$.dependsOn') AS needed`;

export const FEATURE_VIEWS: Readonly<Record<string, string>> = {
  components: COMPONENTS,
  phases: PHASES,
  features: FEATURES,
  dependencies: DEPENDENCIES,
};
