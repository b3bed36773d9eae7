/** The submission of a run is its first fact, or part of it if the run continues another one. */
export const SUBMISSIONS = `
  SELECT
    stream,
    substr(stream, 5) AS run,
    at,
    CASE type WHEN 'run.forked' THEN payload ->> '$.from' END AS continues,
    CASE type WHEN 'run.forked' THEN payload ->> '$.seq' END AS continues_at,
    CASE type WHEN 'run.forked' THEN payload -> '$.submission' ELSE payload END AS submission
  FROM events
  WHERE seq = 1 AND type IN ('run.submitted', 'run.forked')`;
