import { hostname } from 'node:os';

/** Facts about the machine that the running process knows. */
import { fileURLToPath } from 'node:url';

export type Machine = {
  readonly platform: string;
  readonly node: { readonly version: string; readonly path: string };
  /** The file of the command `supervisor`, which any Node can be given. */
  readonly program: string;
  /** Undefined on systems without numeric users. */
  readonly uid: number | undefined;
};

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    node: { version: process.versions.node, path: process.execPath },
    program: fileURLToPath(new URL('../../../bin/supervisor.js', import.meta.url)),
    uid: process.geteuid?.(),
  };
}

/** What the machine calls itself. */
export function machineName(): string {
  return hostname();
}

/** The memory that this process and its children can still use, limited by the system and by our own limits. */
export function freeMemory(): number {
  return process.availableMemory();
}

export type SqliteTrial =
  | { readonly kind: 'works'; readonly version: string }
  | { readonly kind: 'fails'; readonly why: string };

/** Writes a row into a database in memory and reads it back. */
export async function trySqlite(): Promise<SqliteTrial> {
  try {
    // Imported only here, so that a Node without it gets a report instead of failing to start.
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
