/** The tables of a journal file. A file with another schema version is refused. */

/** Stored as the file's `user_version`. Raise it with every change of `SCHEMA` after the first release. */
export const SCHEMA_VERSION = 1;

export const SCHEMA = `
  -- The truth. Rows are added and never changed. The key of a request has its own column: an index over
  -- a JSON expression can't be checked if that JSON is damaged.
  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    v INTEGER NOT NULL,
    at REAL NOT NULL,
    payload TEXT NOT NULL,
    request TEXT,
    checksum INTEGER NOT NULL,
    UNIQUE (stream, seq)
  ) STRICT;
  -- Finds the fact of a request by the key that its caller chose.
  CREATE INDEX events_by_request ON events (request) WHERE request IS NOT NULL;

  -- A projection. The task, which may be long, stays in the event of the submission, because
  -- this row is written again with the facts of its run.
  CREATE TABLE runs (
    submission INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project TEXT NOT NULL,
    submitted_at REAL NOT NULL,
    ended_at REAL,
    view TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_project ON runs (project);
  CREATE INDEX open_runs ON runs (submission) WHERE ended_at IS NULL;

  -- A cache: the newest state of each fold.
  CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    maker TEXT NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (stream, maker)
  ) STRICT;

  -- For people with a SQL shell. A run that belongs to no plan builds no component. The row of an open run
  -- may lag behind its facts, so the view is computed from the facts.
  CREATE VIEW workflow AS
    SELECT
      runs.id,
      CASE WHEN runs.ended_at IS NULL THEN (
        SELECT begun.payload ->> '$.key'
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
      NULL AS component,
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
    FROM runs;

  -- The points that a run can be resumed from: each commit of work, and each stored fold. A fold has the commit
  -- that was the last one then.
  CREATE VIEW checkpoints AS
    SELECT
      noted.id,
      substr(noted.stream, 5) AS workflow_id,
      noted.payload ->> '$.note.commit' AS git_sha,
      coalesce(snapshots.state, noted.payload -> '$.note') AS context_snapshot,
      noted.at AS timestamp
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
      AND NOT (folded.type = 'command.noted' AND folded.payload ->> '$.note.kind' = 'committed');
`;

/** Written into every journal file, so that the database of another program is never opened as a journal. */
export const APPLICATION_ID = 0x53757065;
