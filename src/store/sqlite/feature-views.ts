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
    json_each(phase.value, '$.components') AS component`;

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
    SELECT line.run, events.id, events.type, events.payload
    FROM line JOIN events ON events.stream = 'run/' || line.source AND events.seq <= line.last_seq
    WHERE events.type IN ('command.begun', 'command.ended')
  )`;

/** The keys of its commands name the component. A component that failed is known to have failed when its feature ends. */
const STATES = `
  WITH RECURSIVE ${LINES},
  planned AS (${PLANNED}),
  latest AS (
    SELECT
      planned.*,
      (
        SELECT fact.payload ->> '$.command' FROM fact
        WHERE fact.run = planned.run AND fact.type = 'command.begun'
          AND fact.payload ->> '$.key' GLOB '*-' || lower(planned.id) || '-*'
        ORDER BY fact.id DESC LIMIT 1
      ) AS command,
      EXISTS (
        SELECT 1 FROM fact
        WHERE fact.run = planned.run AND fact.type = 'command.ended'
          AND fact.payload ->> '$.command' = 'commit-work'
          AND fact.payload ->> '$.key' GLOB '*-' || lower(planned.id) || '-*'
          AND fact.payload ->> '$.end.result.commit' IS NOT NULL
      ) AS has_landed,
      EXISTS (
        SELECT 1 FROM events
        WHERE events.stream = 'run/' || planned.run AND events.type = 'run.ended'
      ) AS has_ended
    FROM planned
  )
  SELECT
    *,
    CASE
      WHEN has_landed THEN 'complete'
      WHEN command IS NULL THEN 'pending'
      WHEN has_ended THEN 'failed'
      WHEN command IN ('merge-work', 'gate', 'commit-work') THEN 'testing'
      WHEN command = 'ask' THEN 'review'
      ELSE 'implementing'
    END AS status
  FROM latest`;

/** R185 */
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
  FROM (${STATES}) ORDER BY run, phase_place, place`;

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
    phase -> '$.interfaces' AS interfaces,
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
        SELECT 1 FROM components WHERE components.run = feature.run AND components.status = 'review'
      ) THEN 'review'
      WHEN EXISTS (
        SELECT 1 FROM components WHERE components.run = feature.run AND components.status <> 'pending'
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
