/** The views of `sqlite/feature-views.ts` in the words of PostgreSQL. */

const featureRuns = (s: string): string => `
  SELECT first.*, first.submission #> '{settings,feature,plan}' AS plan
  FROM ${s}.submissions AS first
  WHERE first.submission ->> 'program' = 'feature'`;

const planned = (s: string): string => `
  SELECT
    of_feature.run, of_feature.at,
    of_feature.plan ->> 'id' AS feature_id,
    phase.place - 1 AS phase_place, phase.value AS phase,
    component.place - 1 AS place, component.value AS component,
    component.value ->> 'id' AS id
  FROM (${featureRuns(s)}) AS of_feature,
    jsonb_array_elements(${s}.array_of(of_feature.plan -> 'phases'))
      WITH ORDINALITY AS phase(value, place),
    jsonb_array_elements(${s}.array_of(phase.value -> 'components'))
      WITH ORDINALITY AS component(value, place)
  WHERE component.value ->> 'node' IS NULL`;

const lines = (s: string): string => `
  line(run, source, last_seq) AS (
    SELECT run, run, 9223372036854775807 FROM (${featureRuns(s)}) AS own
    UNION ALL
    SELECT line.run, first.continues, first.continues_at
    FROM line JOIN ${s}.submissions AS first ON first.run = line.source
    WHERE first.continues IS NOT NULL
  ),
  fact AS (
    SELECT line.run, line.source, facts.id, facts.type, facts.payload
    FROM line JOIN ${s}.facts ON facts.stream = 'run/' || line.source AND facts.seq <= line.last_seq
    WHERE facts.type IN ('command.begun', 'command.ended', 'signal.received')
  )`;

const states = (s: string): string => `
  WITH RECURSIVE ${lines(s)},
  planned AS (${planned(s)}),
  last_command AS (
    SELECT
      planned.*,
      (
        SELECT max(fact.id) FROM fact
        WHERE fact.run = planned.run AND fact.type = 'command.begun'
          AND ${s}.glob(fact.payload ->> 'key', '*-' || lower(planned.id) || '-*')
      ) AS begun_id,
      EXISTS (
        SELECT 1 FROM fact
        WHERE fact.run = planned.run AND fact.type = 'command.ended'
          AND fact.payload ->> 'command' = 'commit-work'
          AND ${s}.glob(fact.payload ->> 'key', '*-' || lower(planned.id) || '-*')
          AND fact.payload #>> '{end,result,commit}' IS NOT NULL
      ) AS has_landed,
      (
        SELECT max(fact.id) FROM fact
        WHERE fact.run = planned.run AND fact.source = planned.run
          AND fact.type = 'signal.received'
          AND fact.payload #>> '{signal,action}' = 'skip'
          AND fact.payload #>> '{signal,component}' = planned.id
      ) AS skipped_id,
      EXISTS (
        SELECT 1 FROM ${s}.events
        WHERE events.stream = 'run/' || planned.run AND events.type = 'run.ended'
      ) AS has_ended,
      EXISTS (
        SELECT 1 FROM ${s}.facts AS ended
        WHERE ended.stream = 'run/' || planned.run AND ended.type = 'run.ended'
          AND ended.payload #>> '{outcome,kind}' IN ('succeeded', 'unverified')
      ) AS has_succeeded
    FROM planned
  ),
  latest AS (
    SELECT
      last_command.*,
      begun.payload ->> 'command' AS command,
      ended.payload #> '{end,result}' AS result,
      begun.source = last_command.run AS is_own
    FROM last_command
    LEFT JOIN fact AS begun ON begun.run = last_command.run AND begun.id = begun_id
    LEFT JOIN fact AS ended ON ended.run = last_command.run AND ended.type = 'command.ended'
      AND ended.id > begun_id AND ended.payload ->> 'key' = begun.payload ->> 'key'
  )
  SELECT
    *,
    CASE
      WHEN has_landed AND command = 'commit-work' AND result ->> 'commit' IS NOT NULL
        THEN 'complete'
      WHEN has_landed AND command = 'merge-work' AND result ->> 'names' = '[]' THEN 'complete'
      WHEN has_landed AND command = 'collect-step' AND result ->> 'kind' IS NULL
        AND jsonb_typeof(result -> 'work') = 'null' AND result ->> 'interfaceChanges' IS NULL
        THEN 'complete'
      WHEN has_landed AND component ->> 'interfaces' IS NOT NULL
        AND result ->> 'kind' IN ('invalid', 'failed', 'unable') THEN 'complete'
      WHEN command IS NULL AND has_succeeded THEN 'complete'
      WHEN command IS NULL THEN 'pending'
      WHEN has_ended THEN 'failed'
      WHEN skipped_id > begun_id THEN 'failed'
      WHEN command = 'ask' AND result ->> 'answer' = 'skip' AND is_own THEN 'failed'
      WHEN command = 'ask' AND result ->> 'answer' IS NOT NULL THEN 'pending'
      WHEN command IN ('merge-work', 'gate', 'commit-work') THEN 'testing'
      WHEN command = 'ask' THEN 'review'
      ELSE 'implementing'
    END AS status
  FROM latest`;

const components = (s: string): string => `CREATE VIEW ${s}.components AS
  SELECT
    id,
    phase ->> 'id' AS phase_id,
    component ->> 'title' AS title,
    component -> 'files' AS files,
    component -> 'dependsOn' AS depends_on,
    status,
    component ->> 'role' AS assigned_role,
    at AS created_at,
    run
  FROM (${states(s)}) AS state
  WHERE component ->> 'interfaces' IS NULL
  ORDER BY run, phase_place, place`;

const phases = (s: string): string => `CREATE VIEW ${s}.phases AS
  SELECT
    phase ->> 'id' AS id,
    feature_id,
    phase ->> 'title' AS title,
    phase_place + 1 AS sequence,
    CASE
      WHEN bool_and(status = 'complete') THEN 'complete'
      WHEN bool_or(status = 'failed') THEN 'failed'
      WHEN bool_and(status = 'pending') THEN 'pending'
      ELSE 'in_progress'
    END AS status,
    max(component ->> 'interfaces') AS interfaces,
    at AS created_at,
    run
  FROM (${states(s)}) AS state
  GROUP BY run, phase_place, phase, feature_id, at ORDER BY run, phase_place`;

const features = (s: string): string => `CREATE VIEW ${s}.features AS
  SELECT
    feature.plan ->> 'id' AS id,
    feature.plan ->> 'title' AS title,
    CASE
      WHEN ended.payload #>> '{outcome,kind}' IN ('succeeded', 'unverified') THEN 'complete'
      WHEN ended.id IS NOT NULL THEN 'failed'
      WHEN EXISTS (
        SELECT 1 FROM (${states(s)}) AS part
        WHERE part.run = feature.run AND part.status = 'review'
      ) THEN 'review'
      WHEN EXISTS (
        SELECT 1 FROM (${states(s)}) AS part
        WHERE part.run = feature.run AND part.status <> 'pending'
      ) THEN 'in_progress'
      ELSE 'planning'
    END AS status,
    feature.at AS created_at,
    ended.at AS completed_at,
    feature.run
  FROM (${featureRuns(s)}) AS feature
  LEFT JOIN ${s}.facts AS ended ON ended.stream = feature.stream AND ended.type = 'run.ended'`;

const dependencies = (s: string): string => `CREATE VIEW ${s}.dependencies AS
  SELECT planned.id AS component_id, needed.value AS depends_on_id, planned.run
  FROM (${planned(s)}) AS planned,
    jsonb_array_elements_text(${s}.array_of(planned.component -> 'dependsOn')) AS needed(value)`;

export const postgresFeatureViews = (schema: string): Readonly<Record<string, string>> => ({
  components: components(schema),
  phases: phases(schema),
  features: features(schema),
  dependencies: dependencies(schema),
});
