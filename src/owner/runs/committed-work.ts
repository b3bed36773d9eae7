/**
 * Finds the work that an attempt committed, according to the journal. A gate checks that commit,
 * not the current content of a folder.
 */
import type { CommittedAttempt } from '../../execution/committed-attempt.ts';
import { workAt } from '../../execution/work-point.ts';
import { parseRunId } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import type { Command, Note } from '../../protocol/commands.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import type { EarlierCommit } from '../../workspace/create-workspace.ts';
import { readBackwards } from '../run-reader.ts';

/** The same bound as in the engine. No user forks a hundred times on purpose. */
const FORK_DEPTH_MAX = 100;

/** `home` is the home folder of Supervisor. */
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
  for await (const [owner, event] of readHistoryBack(journal, run)) {
    if (event.type === 'command.begun' && event.payload.key === key) break; // older facts are not about this attempt
    if (event.type !== 'command.noted' || event.payload.key !== key) continue;
    const { note } = event.payload;
    if (note.kind === 'not-committed') return { kind: 'not-committed', message: note.message };
    const committed = toCommit(note, owner, home);
    if (committed !== undefined) return { kind: 'committed', ...committed };
  }
  return { kind: 'in-project' };
}

/**
 * The last commit of the run from which this one was forked. As within one run, an attempt
 * continues in the tree of the attempt before it, even if that one was stopped or failed. Without such a commit, the
 * run starts with the work that its workflow names, if there is any.
 */
export async function committedBefore(
  journal: Journal,
  home: string,
  run: RunId,
  root: string,
): Promise<EarlierCommit | undefined> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  if (first?.type === 'run.submitted') return workNamedBy(first.payload, home, root);
  if (first?.type !== 'run.forked') return undefined;
  const before = await lastCommit(journal, home, parseRunId(first.payload.from));
  return before ?? workNamedBy(first.payload.submission, home, root);
}

function workNamedBy(
  { settings }: Submission,
  home: string,
  root: string,
): EarlierCommit | undefined {
  const { startsFrom } = settings;
  if (startsFrom === undefined) return undefined;
  return { ...workAt(startsFrom, home, root), isRequired: true };
}

async function lastCommit(
  journal: Journal,
  home: string,
  from: RunId | undefined,
): Promise<EarlierCommit | undefined> {
  if (from === undefined) return undefined;
  for await (const [owner, event] of readHistoryBack(journal, from)) {
    const commit =
      event.type === 'command.noted' ? toCommit(event.payload.note, owner, home) : undefined;
    if (commit !== undefined) return commit;
  }
  return undefined;
}

function toCommit(note: Note<Command>, run: RunId, home: string): EarlierCommit | undefined {
  if (note.kind !== 'committed') return undefined;
  const workspace = { home, root: note.root, run, attempt: note.tree };
  return { workspace, commit: note.commit };
}

/**
 * The facts of a run, then of the runs from which it was forked, newest first. Each comes with the
 * run to which it belongs.
 */
export async function* readHistoryBack(
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
      yield* readHistoryBack(journal, from, event.payload.seq, depth + 1);
  }
}
