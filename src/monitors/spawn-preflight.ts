/**
 * What has to hold before an agent is summoned: a sandbox that holds, room on the machine, folders that
 * are there and ours, a CLI that can speak to its model. All of it or nothing: everything that is
 * missing is told at once, and no restart brings it.
 */

export type PreflightFacts = {
  /** Why no sandbox holds; null: one does, or none is wanted. */
  readonly sandbox: string | null;
  /** Why there is no room on the disk; null: there is. */
  readonly disk: string | null;
  readonly memoryFreeBytes: number;
  readonly folders: readonly FolderFact[];
  /** Why its CLI can't be started or can't speak to a model. */
  readonly login: readonly string[];
};

export type FolderFact = {
  readonly path: string;
  readonly for: 'writing' | 'reading';
  readonly state: 'fine' | 'absent' | 'no-folder' | 'closed' | 'not-ours';
};

/** A CLI by itself takes more than this. */
const MEMORY_BYTES_LEAST = 200_000_000;

/** In sentences; none: it may be summoned. */
export function spawnProblems(facts: PreflightFacts): readonly string[] {
  const { sandbox, disk, memoryFreeBytes, folders, login } = facts;
  return [
    ...(sandbox === null ? [] : [`sandbox: ${sandbox}`]),
    ...(disk === null ? [] : [`resources: ${disk}`]),
    ...(memoryFreeBytes >= MEMORY_BYTES_LEAST
      ? []
      : [
          `resources: ${megabytes(memoryFreeBytes)} of memory are free, ${megabytes(MEMORY_BYTES_LEAST)} are needed`,
        ]),
    ...folders.flatMap(problemWith),
    ...login.map((why) => `login: ${why}`),
  ];
}

function problemWith({ path, for: use, state }: FolderFact): readonly string[] {
  switch (state) {
    case 'fine':
      return [];
    case 'absent':
      return [`permissions: ${path} is not there`];
    case 'no-folder':
      return [`permissions: ${path} is no folder`];
    case 'closed':
      return [`permissions: ${path} is closed to us for ${use}`];
    case 'not-ours':
      return [`permissions: ${path} belongs to another user`];
  }
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
