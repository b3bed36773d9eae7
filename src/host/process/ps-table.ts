/**
 * The process table read with `ps`, for machines without /proc (macOS). It is slower and less exact: start times have
 * a resolution of one second, and the system hides the environment of some protected programs, whose tags are then
 * not seen.
 */
import { execFile, spawnSync } from 'node:child_process';
import type { ProcessRow, ProcessTable } from './process-table.ts';

const COLUMNS = 'pid=,ppid=,pgid=,sess=,stat=,lstart=';
const ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
const LIMITS = { env: ENV, timeout: 10_000, maxBuffer: 64 * 1024 * 1024 };

export function psTable(tagVariable: string): ProcessTable {
  return {
    async rows() {
      return parsePs(await ps(['-axo', COLUMNS])).filter(({ zombie }) => !zombie);
    },
    row(pid) {
      const { stdout } = spawnSync('ps', ['-o', COLUMNS, '-p', String(pid)], {
        ...LIMITS,
        encoding: 'utf8',
      });
      return parsePs(stdout)[0];
    },
    async tags(rows) {
      const pids = new Set(rows.map(({ pid }) => pid));
      const tags = parsePsTags(await ps(['axeww', '-o', 'pid=,command=']), tagVariable);
      return new Map([...tags].filter(([pid]) => pids.has(pid)));
    },
  };
}

/** Parses the output of `ps` with these columns. */
export function parsePs(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [pid, ppid, pgid, session, state, ...lstart] = line.trim().split(/\s+/);
    if (state === undefined) return [];
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        pgid: Number(pgid),
        // macOS prints an address here, or 0. Then only the process group is used.
        session: /^\d+$/.test(session ?? '') ? Number(session) : 0,
        startTime: Date.parse(lstart.join(' ')),
        zombie: state.startsWith('Z'),
        stopped: state.startsWith('T'),
      },
    ];
  });
}

/** `ps e` prints a command and then its environment, separated by spaces. A tag contains no space. */
export function parsePsTags(text: string, tagVariable: string): Map<number, string> {
  const tag = new RegExp(`^\\s*(\\d+)\\s.*?\\s${tagVariable}=(\\S+)`);
  return new Map(
    text.split('\n').flatMap((line): [number, string][] => {
      const [, pid, found] = tag.exec(line) ?? [];
      return found === undefined ? [] : [[Number(pid), found]];
    }),
  );
}

/** Empty if `ps` is missing or fails: an empty table finds no process, and `canSweep` reports that. */
function ps(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile('ps', args, LIMITS, (error, stdout) => resolve(error === null ? stdout : ''));
  });
}
