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
`;

/** Written into every journal file, so that the database of another program is never opened as a journal. */
export const APPLICATION_ID = 0x53757065;
