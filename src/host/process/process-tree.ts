import type { ProcessSnapshot } from './process-snapshot.ts';
import type { ProcessId, ProcessRow } from './process-table.ts';

/** What makes a process a member of the family. */
export type ProcessFamily = {
  readonly tag: string;
  /** The process that was started first, in its own session. Nothing older is a member. */
  readonly leader?: ProcessId;
  /** Earlier members. They stay members after their parents are gone. */
  readonly known: ReadonlyMap<number, ProcessId>;
};

/** Tags are paths: `a/b` is under `a` and under `a/b`, but not under `a/bc`. */
export function isUnder(tag: string | undefined, above: string): boolean {
  return tag !== undefined && (tag === above || tag.startsWith(`${above}/`));
}

/** The processes with these pids, and all their descendants. */
export function findDescendants(
  roots: readonly number[],
  { rows }: ProcessSnapshot,
): readonly ProcessRow[] {
  const children = Map.groupBy(rows.values(), ({ ppid }) => ppid);
  const found = new Map<number, ProcessRow>();
  const waiting = roots.flatMap((pid) => rows.get(pid) ?? []);
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    if (found.has(row.pid)) continue;
    found.set(row.pid, row);
    waiting.push(...(children.get(row.pid) ?? []));
  }
  return [...found.values()];
}

/**
 * The living members of a family: processes with its tag and earlier members. Then, until none is added, the children
 * of members and all processes in a session or process group that a member leads or led. So a tool in its own session
 * is found by its tag, and one that has cleared its environment is found by its parent or its group.
 */
export function findProcessFamily(
  { tag, leader, known }: ProcessFamily,
  { rows, tags }: ProcessSnapshot,
): readonly ProcessRow[] {
  const members = new Map<number, ProcessRow>();
  // The number of a session or group is not reused while it has a member. So if a new process has the number, the old
  // session is empty and the number is meaningless.
  const led = new Set<number>();
  for (const { pid, startTime } of [...(leader === undefined ? [] : [leader]), ...known.values()]) {
    const now = rows.get(pid);
    if (now === undefined || now.startTime === startTime) led.add(pid);
    if (now?.startTime === startTime) members.set(pid, now);
  }

  const candidates = [...rows.values()].filter(
    ({ pid, startTime }) => pid > 1 && pid !== process.pid && startTime >= (leader?.startTime ?? 0),
  );
  for (let before = -1; before < members.size;) {
    before = members.size;
    for (const row of candidates) {
      if (members.has(row.pid)) continue;
      const belongs =
        isUnder(tags.get(row.pid), tag) ||
        members.has(row.ppid) ||
        led.has(row.session) ||
        led.has(row.pgid);
      if (!belongs) continue;
      members.set(row.pid, row);
      led.add(row.pid);
    }
  }
  return [...members.values()];
}
