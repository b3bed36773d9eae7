/**
 * The tables, and how an older file becomes a current one. A migration is never edited once it is released, because
 * files on some disk have already gone through it.
 */
const EVENTS_AND_RUNS = `
  -- The truth. Rows are added and never changed.
  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    v INTEGER NOT NULL,
    at REAL NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (stream, seq)
  ) STRICT;

  -- A projection. The task's text, which may be long, stays in the event of the submission, since
  -- this row is written anew with the facts of its run.
  CREATE TABLE runs (
    submission INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project TEXT NOT NULL,
    submitted_at REAL NOT NULL,
    ended_at REAL,
    view TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_of_project ON runs (project);
  CREATE INDEX runs_going_on ON runs (submission) WHERE ended_at IS NULL;

  -- A cache: the newest state of each fold.
  CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    maker TEXT NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    UNIQUE (stream, maker)
  ) STRICT;

  -- For people with a SQL shell. A run that belongs to no plan builds no component.
  CREATE VIEW workflow AS
    SELECT
      runs.id,
      runs.view ->> '$.open[#-1].key' AS current_step,
      NULL AS component,
      CASE
        WHEN runs.ended_at IS NULL THEN 'active'
        WHEN runs.view ->> '$.outcome.kind' IN ('succeeded', 'unverified') THEN 'completed'
        ELSE 'failed'
      END AS status,
      runs.submitted_at AS created_at,
      latest.at AS updated_at
    FROM runs
    JOIN events AS latest
      ON latest.stream = 'run/' || runs.id AND latest.seq = runs.view ->> '$.seq';

  CREATE VIEW checkpoints AS
    SELECT
      snapshots.id,
      substr(snapshots.stream, 5) AS workflow_id,
      snapshots.state AS context_snapshot,
      events.at AS timestamp
    FROM snapshots
    JOIN events ON events.stream = snapshots.stream AND events.seq = snapshots.seq
    WHERE snapshots.stream LIKE 'run/%';
`;

/** The row of a running run may lag behind its facts, so the view for people is computed from the facts. */
const WORKFLOW_FROM_FACTS = `
  DROP VIEW workflow;
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
`;

/** Finds the fact of a command by the key that its caller chose. Other types have no key, so they cost nothing. */
const REQUESTS = `
  CREATE INDEX events_of_request ON events (payload ->> '$.request.key')
    WHERE type IN ('run.submitted', 'run.forked', 'signal.received', 'apply.begun')
      AND payload ->> '$.request.key' IS NOT NULL;
`;

/**
 * The points that a run can be resumed from: each commit of work, and each stored fold. A fold has the commit that
 * was the last one then.
 */
const CHECKPOINTS_WITH_COMMITS = `
  DROP VIEW checkpoints;
  CREATE VIEW checkpoints AS
    SELECT
      kept.id,
      substr(kept.stream, 5) AS workflow_id,
      kept.payload ->> '$.note.commit' AS git_sha,
      coalesce(snapshots.state, kept.payload -> '$.note') AS context_snapshot,
      kept.at AS timestamp
    FROM events AS kept
    LEFT JOIN snapshots ON snapshots.stream = kept.stream AND snapshots.seq = kept.seq
    WHERE kept.type = 'command.noted' AND kept.payload ->> '$.note.kind' = 'kept'
    UNION ALL
    SELECT
      folded.id,
      substr(folded.stream, 5),
      (
        SELECT kept.payload ->> '$.note.commit' FROM events AS kept
        WHERE kept.stream = folded.stream AND kept.seq < folded.seq
          AND kept.type = 'command.noted' AND kept.payload ->> '$.note.kind' = 'kept'
        ORDER BY kept.seq DESC LIMIT 1
      ),
      snapshots.state,
      folded.at
    FROM snapshots
    JOIN events AS folded ON folded.stream = snapshots.stream AND folded.seq = snapshots.seq
    WHERE snapshots.stream LIKE 'run/%'
      AND NOT (folded.type = 'command.noted' AND folded.payload ->> '$.note.kind' = 'kept');
`;

/**
 * A checksum for each row, and the key of a request in its own column: an index over a JSON expression cannot be
 * checked if that JSON is damaged. Snapshots are a cache, so those without a checksum are dropped.
 */
const CHECKSUMS = `
  DROP INDEX events_of_request;
  ALTER TABLE events ADD COLUMN request TEXT;
  ALTER TABLE events ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  UPDATE events SET
    request = CASE
      WHEN type IN ('run.submitted', 'run.forked', 'signal.received', 'apply.begun')
      THEN payload ->> '$.request.key'
    END,
    checksum = event_checksum(id, stream, seq, type, v, at, payload);
  UPDATE runs SET checksum = run_checksum(submission, id, project, submitted_at, ended_at, view);
  CREATE INDEX events_of_request ON events (request) WHERE request IS NOT NULL;
  DELETE FROM snapshots;
  ALTER TABLE snapshots ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
`;

/** The first migration creates version 1 from an empty file, the next one creates version 2 from that, and so on. */
export const MIGRATIONS: readonly string[] = [
  EVENTS_AND_RUNS,
  WORKFLOW_FROM_FACTS,
  REQUESTS,
  CHECKPOINTS_WITH_COMMITS,
  CHECKSUMS,
];

/** Written into every journal file, so that the database of another program is never opened as a journal. */
export const APPLICATION_ID = 0x53757065;
