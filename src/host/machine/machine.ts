/** What the running process knows of where it runs. */
export type Machine = {
  readonly platform: string;
  readonly node: { readonly version: string; readonly path: string };
  /** Undefined where users have no number. */
  readonly uid: number | undefined;
};

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    node: { version: process.versions.node, path: process.execPath },
    uid: process.geteuid?.(),
  };
}

/** What this process and its children could still use, by the system's account and by that of our own limits. */
export function freeMemory(): number {
  return process.availableMemory();
}

export type SqliteTrial =
  | { readonly kind: 'works'; readonly version: string }
  | { readonly kind: 'fails'; readonly why: string };

/** Writes a row into a database in memory and reads it back. */
export async function trySqlite(): Promise<SqliteTrial> {
  try {
    // Loaded only here: a Node without it should hear of that, not fail to start.
    const { DatabaseSync } = await import('node:sqlite');
    using database = new DatabaseSync(':memory:');
    database.exec(
      'CREATE TABLE trial (word TEXT) STRICT; INSERT INTO trial VALUES (sqlite_version())',
    );
    const row = database.prepare('SELECT word FROM trial').get();
    return { kind: 'works', version: String(row?.['word']) };
  } catch (error) {
    return { kind: 'fails', why: error instanceof Error ? error.message : String(error) };
  }
}
