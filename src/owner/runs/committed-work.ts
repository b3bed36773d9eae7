/** What the record says was kept of one attempt: a gate judges that, and not whatever lies in a folder now. */
import type { CommittedAttempt } from '../../execution/committed-attempt.ts';
import { parseRunId } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/event.ts';
import type { Journal } from '../../store/journal.ts';
import type { EarlierCommit } from '../../workspace/create-workspace.ts';
import { readBackwards } from '../run-reader.ts';

/** As for the engine: nobody forks a hundred times on purpose. */
const FORK_DEPTH_MAX = 100;

/** `home` is where our own state lies. */
export function committedWork(
  journal: Journal,
  home: string,
): (run: RunId, attempt: number) => Promise<CommittedAttempt> {
  return (run, attempt) => find(journal, home, run, attempt);
}

async function find(
  journal: Journal,
  home: string,
  run: RunId,
  attempt: number,
): Promise<CommittedAttempt> {
  const key = `attempt-${attempt}`;
  for await (const [whose, event] of historyBack(journal, run)) {
    if (event.type === 'command.begun' && event.payload.key === key) break; // nothing older is about it
    if (event.type !== 'command.noted' || event.payload.key !== key) continue;
    const { kind, message } = event.payload.note;
    if (kind === 'not-kept') return { kind, message: String(message) };
    const kept = placeIn(event.payload.note, whose, home);
    if (kept !== undefined) return { kind: 'kept', ...kept };
  }
  return { kind: 'in-project' };
}

/**
 * What the run that this one was forked from had kept last. As within one run, an attempt goes on in
 * the tree that the one before it left, also when that was stopped or failed.
 */
export async function committedBefore(
  journal: Journal,
  home: string,
  run: RunId,
): Promise<EarlierCommit | undefined> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  const from = first?.type === 'run.forked' ? parseRunId(first.payload.from) : undefined;
  if (from === undefined) return undefined;
  for await (const [whose, event] of historyBack(journal, from)) {
    const place =
      event.type === 'command.noted' ? placeIn(event.payload.note, whose, home) : undefined;
    if (place !== undefined) return place;
  }
  return undefined;
}

function placeIn(
  { kind, root, tree, commit }: Readonly<Record<string, unknown>>,
  run: RunId,
  home: string,
): EarlierCommit | undefined {
  if (kind !== 'kept') return undefined;
  const place = { home, root: String(root), run, attempt: Number(tree) };
  return { place, commit: String(commit) };
}

/** The facts of a run and then of those that it was forked from, newest first, and whose each is. */
async function* historyBack(
  journal: Journal,
  run: RunId,
  upTo = Infinity,
  depth = 0,
): AsyncGenerator<readonly [RunId, RunEvent], void> {
  if (depth > FORK_DEPTH_MAX) throw new RangeError(`run ${run} is forked too deep`);
  for await (const event of readBackwards(journal, runStream(run), upTo)) {
    yield [run, event];
    const from = event.type === 'run.forked' ? parseRunId(event.payload.from) : undefined;
    if (event.type === 'run.forked' && from !== undefined)
      yield* historyBack(journal, from, event.payload.seq, depth + 1);
  }
}
