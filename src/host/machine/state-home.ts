/** The paths of the owner's state. `$SUPERVISOR_HOME` belongs to one user and is shared by all their projects. */
import { join } from 'node:path';

export type Home = {
  readonly dir: string;
  /** Distinguishes two homes on one machine. */
  readonly id: string;
  readonly journal: string;
  /** Names the database that has the journal in place of the file. Absent in most homes. */
  readonly database: string;
  /** Held by the owner for as long as it lives. */
  readonly lock: string;
  /** Facts about the owner, for a process that finds the lock taken. */
  readonly ownerFile: string;
  readonly ownerLog: string;
  readonly socketDir: string;
  readonly socket: string;
  readonly outputs: string;
  /** The token for callers over TCP. It exists while the owner listens there. */
  readonly apiToken: string;
  /** Who has access to the dashboard. */
  readonly dashboard: string;
};

/** Linux accepts 107 bytes for the path of a socket, macOS 103. */
const SOCKET_PATH_BYTES_MAX = 100;

/** `runtimeDir` is a short private folder of the user, for homes whose own path is too long for a socket. */
export function homeAt(dir: string, runtimeDir: string): Home {
  const id = shortHash(dir);
  const inside = join(dir, 'owner.sock');
  const fits = Buffer.byteLength(inside) <= SOCKET_PATH_BYTES_MAX;
  const socketDir = fits ? dir : runtimeDir;
  return {
    dir,
    id,
    journal: join(dir, 'journal.db'),
    database: join(dir, 'database.json'),
    lock: join(dir, 'owner.lock'),
    ownerFile: join(dir, 'owner.json'),
    ownerLog: join(dir, 'owner.log'),
    socketDir,
    socket: fits ? inside : join(runtimeDir, `${id}.sock`),
    outputs: join(dir, 'outputs'),
    apiToken: join(dir, 'api-token'),
    dashboard: join(dir, 'dashboard.json'),
  };
}

/** FNV-1a, twice. It only distinguishes homes and has no security purpose. */
function shortHash(text: string): string {
  const half = (seed: number): string => {
    let hash = seed;
    for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
    return hash.toString(16).padStart(8, '0');
  };
  return half(0x811c9dc5) + half(0x9dc5811c);
}
