/**
 * Finds the prompts of briefs that no run needs any more. A prompt is stored by its hash, and
 * several runs may refer to it.
 */
import { join } from 'node:path';

import { listFiles } from '../../host/files/list-folder.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Leftover } from '../../protocol/views/prune-view.ts';
import type { Journal } from '../../store/journal.ts';

export type KnownRuns = Pick<Journal, 'run' | 'runs' | 'readStream'>;

/**
 * A brief is stored before the run that refers to it is submitted, so a young brief may still be
 * needed.
 */
const SUBMITTING_MS = 60_000;
const BRIEF = /^[0-9a-f]{64}\.md$/;
const RUNS_MAX = 1_000_000;

export function briefsDir(home: string): string {
  return join(home, 'briefs');
}

/** The briefs to which no run refers, or only runs that ended before `before`. */
export async function unusedBriefs(
  dir: string,
  journal: KnownRuns,
  before: number,
  now: number,
): Promise<readonly Leftover[]> {
  const youngest = Math.min(before, now - SUBMITTING_MS);
  const old = (await listFiles(dir)).filter(
    ({ name, writtenMs }) => BRIEF.test(name) && writtenMs < youngest,
  );
  if (old.length === 0) return [];
  const needed = new Set<string>();
  for (const { id, endedAt } of await journal.runs({ limit: RUNS_MAX })) {
    if (endedAt !== null && endedAt < before) continue;
    const hash = await readBriefHash(journal, id);
    if (hash !== undefined) needed.add(`${hash}.md`);
  }
  return old
    .filter(({ name }) => !needed.has(name))
    .map(({ name, bytes }) => ({ kind: 'brief', path: join(dir, name), bytes }));
}

/** The hash of the brief that a run has pinned. */
async function readBriefHash(journal: KnownRuns, run: string): Promise<string | undefined> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  if (first?.type !== 'run.submitted' && first?.type !== 'run.forked') return undefined;
  const { settings } = first.type === 'run.forked' ? first.payload.submission : first.payload;
  return settings.brief?.hash;
}
