/**
 * The table of processes. A pid alone does not identify a process, because pids are reused. A process is (pid, start
 * time), and is signalled only while both still match. Zombies count as dead.
 */
import { accessSync, closeSync, constants, openSync, readdirSync, readSync } from 'node:fs';
import { psTable } from './ps-table.ts';

/** Every process of a group has this variable, and so does everything it starts. */
export const TAG_VARIABLE = 'SUPERVISOR_TAG';

const TAG = /^\w[\w.:/-]*$/;

/** A tag decides which processes are killed, so an empty or ambiguous one is a defect. */
export function checkTag(tag: string): void {
  if (!TAG.test(tag)) throw new TypeError(`not a tag: ${JSON.stringify(tag)}`);
}

/** The start time is in a unit of the machine, and is comparable only within one boot. */
export type ProcessId = { readonly pid: number; readonly startTime: number };

export type ProcessRow = ProcessId & {
  readonly ppid: number;
  readonly pgid: number;
  readonly session: number;
  /** Ended, but not yet waited for by its parent: it does nothing and cannot be killed. */
  readonly zombie: boolean;
  /** Stopped by a signal: it does nothing until it is continued. */
  readonly stopped: boolean;
};

export interface ProcessTable {
  /** All living processes, without zombies. */
  rows(): Promise<readonly ProcessRow[]>;
  /** One process, even if it is a zombie. */
  row(pid: number): ProcessRow | undefined;
  /** The readable tags by pid. */
  tags(rows: readonly ProcessRow[]): Promise<ReadonlyMap<number, string>>;
}

/** The table is read in slices of this length, so that a crowded machine does not block the event loop. */
const SLICE_MS = 5;

const procTable: ProcessTable = {
  async rows() {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    const rows: ProcessRow[] = [];
    await inSlices(pids, (pid) => {
      const row = procTable.row(pid);
      if (row?.zombie === false) rows.push(row);
    });
    return rows;
  },

  row(pid) {
    const stat = readProc(pid, 'stat');
    return stat === undefined ? undefined : parseStat(stat.toString('latin1'));
  },

  async tags(rows) {
    const tags = new Map<number, string>();
    await inSlices(rows, ({ pid }) => {
      const environ = readProc(pid, 'environ');
      const tag = environ === undefined ? undefined : findTag(environ);
      if (tag !== undefined) tags.set(pid, tag);
    });
    return tags;
  },
};

export const processTable: ProcessTable = hasProc() ? procTable : psTable(TAG_VARIABLE);

/** Whether tagged processes can be found on this machine. If not, only the leader's own group is killed. */
export function canSweep(): boolean {
  return hasProc() || process.platform === 'darwin';
}

/** True if the process existed, was the same, and got the signal. */
export function signalProcess(target: ProcessId, signal: NodeJS.Signals): boolean {
  if (!isAlive(target)) return false;
  try {
    return process.kill(target.pid, signal);
  } catch {
    return false; // it ended meanwhile (ESRCH), or belongs to another user (EPERM)
  }
}

export function isAlive(target: ProcessId): boolean {
  const now = processTable.row(target.pid);
  return now?.startTime === target.startTime && !now.zombie;
}

/** Parses one line of /proc/PID/stat. The name in parentheses may itself contain spaces and parentheses. */
export function parseStat(stat: string): ProcessRow {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ppid, pgid, session] = fields;
  return {
    pid: Number.parseInt(stat, 10),
    ppid: Number(ppid),
    pgid: Number(pgid),
    session: Number(session),
    startTime: Number(fields[19]),
    // The state is that of the first thread. If only that thread has ended, the process lives.
    zombie: (state === 'Z' || state === 'X') && !(Number(fields[17]) > 1),
    stopped: state === 'T' || state === 't',
  };
}

const TAG_START = Buffer.from(`${TAG_VARIABLE}=`);

/** The tag in an environment as the kernel shows it: entries that end in NUL, of which the first one counts. */
export function findTag(environ: Buffer): string | undefined {
  let found = environ.indexOf(TAG_START);
  while (found > 0 && environ[found - 1] !== 0) found = environ.indexOf(TAG_START, found + 1);
  if (found < 0) return undefined;
  const end = environ.indexOf(0, found);
  return environ.toString('utf8', found + TAG_START.length, end < 0 ? environ.length : end);
}

/** One buffer for all reads, because allocating buffers would take most of the time. */
let scratch = Buffer.alloc(16 * 1024);

/** The result is valid until the next call. */
function readProc(pid: number, file: 'stat' | 'environ'): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(`/proc/${pid}/${file}`, 'r');
    for (let length = 0; ;) {
      const read = readSync(fd, scratch, length, scratch.length - length, null);
      length += read;
      if (read === 0) return scratch.subarray(0, length);
      if (length === scratch.length) scratch = Buffer.concat([scratch], scratch.length * 2);
    }
  } catch {
    return undefined; // it ended (ENOENT, ESRCH) or belongs to another user (EACCES)
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function hasProc(): boolean {
  try {
    accessSync('/proc/self/environ', constants.R_OK);
    return true;
  } catch {
    return false; // not Linux, or /proc is not mounted
  }
}

async function inSlices<Item>(items: readonly Item[], visit: (item: Item) => void): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const item of items) {
    visit(item);
    if (performance.now() < sliceEnd) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    sliceEnd = performance.now() + SLICE_MS;
  }
}
