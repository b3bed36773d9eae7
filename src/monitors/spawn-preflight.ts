/**
 * The checks before an agent is spawned: a working sandbox, free disk and memory, accessible folders, and a
 * CLI that can reach its model. All problems are reported at once, because no restart fixes them.
 */

export type PreflightFacts = {
  /** Why no sandbox works; null: one works, or none is required. */
  readonly sandbox: string | null;
  /** Why the disk has too little space; null: it has enough. */
  readonly disk: string | null;
  readonly memoryFreeBytes: number;
  readonly folders: readonly FolderFact[];
  /** Why the CLI can't be started or can't reach a model. */
  readonly login: readonly string[];
};

export type FolderFact = {
  readonly path: string;
  readonly for: 'writing' | 'reading';
  readonly state: 'fine' | 'absent' | 'no-folder' | 'closed' | 'not-ours';
};

/** A CLI alone needs more than this. */
const MEMORY_BYTES_MIN = 200_000_000;

/** Problems as text; none: the agent may be spawned. */
export function spawnProblems(facts: PreflightFacts): readonly string[] {
  const { sandbox, disk, memoryFreeBytes, folders, login } = facts;
  return [
    ...(sandbox === null ? [] : [`sandbox: ${sandbox}`]),
    ...(disk === null ? [] : [`resources: ${disk}`]),
    ...(memoryFreeBytes >= MEMORY_BYTES_MIN
      ? []
      : [
          `resources: ${megabytes(memoryFreeBytes)} of memory are free, ${megabytes(MEMORY_BYTES_MIN)} are required`,
        ]),
    ...folders.flatMap(folderProblems),
    ...login.map((why) => `login: ${why}`),
  ];
}

function folderProblems({ path, for: use, state }: FolderFact): readonly string[] {
  switch (state) {
    case 'fine':
      return [];
    case 'absent':
      return [`permissions: ${path} does not exist`];
    case 'no-folder':
      return [`permissions: ${path} is not a folder`];
    case 'closed':
      return [`permissions: no access to ${path} for ${use}`];
    case 'not-ours':
      return [`permissions: ${path} belongs to another user`];
  }
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
