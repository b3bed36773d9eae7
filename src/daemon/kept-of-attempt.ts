/** What the record says was kept of one attempt: a gate judges that, and not whatever lies in a folder now. */
import type { KeptOfAttempt } from '../attempts/gate-place.ts';
import { parseRunId } from '../base/ids.ts';
import type { RunId } from '../base/ids.ts';
import type { StoredEvent } from '../protocol/event.ts';
import { runStream } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';
import type { KeptElsewhere } from '../workspace/make.ts';

const PAGE = 1000;
/** As for the engine: nobody forks a hundred times on purpose. */
const FORK_DEPTH_MAX = 100;

/** `home` is where our own state lies. */
export function keptOf(
  journal: Journal,
  home: string,
): (run: RunId, attempt: number) => Promise<KeptOfAttempt> {
  return (run, attempt) => find(journal, home, run, attempt);
}

async function find(
  journal: Journal,
  home: string,
  run: RunId,
  attempt: number,
): Promise<KeptOfAttempt> {
  let found: KeptOfAttempt = { kind: 'in-project' };
  for await (const [whose, event] of history(journal, run)) {
    if (event.type !== 'command.noted' || event.payload.key !== `attempt-${attempt}`) continue;
    const { kind, message } = event.payload.note;
    if (kind === 'not-kept') found = { kind, message: String(message) };
    const kept = placeIn(event.payload.note, whose, home);
    if (kept !== undefined) found = { kind: 'kept', ...kept };
  }
  return found;
}

/**
 * What the run that this one was forked from had kept last. As within one run, an attempt goes on in
 * the tree that the one before it left, also when that was stopped or failed.
 */
export async function keptBefore(
  journal: Journal,
  home: string,
  run: RunId,
): Promise<KeptElsewhere | undefined> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  const from = first?.type === 'run.forked' ? parseRunId(first.payload.from) : undefined;
  if (from === undefined) return undefined;
  let found: KeptElsewhere | undefined;
  for await (const [whose, event] of history(journal, from)) {
    const place =
      event.type === 'command.noted' ? placeIn(event.payload.note, whose, home) : undefined;
    if (place !== undefined) found = place;
  }
  return found;
}

function placeIn(
  { kind, root, tree, commit }: Readonly<Record<string, unknown>>,
  run: RunId,
  home: string,
): KeptElsewhere | undefined {
  if (kind !== 'kept') return undefined;
  const place = { home, root: String(root), run, attempt: Number(tree) };
  return { place, commit: String(commit) };
}

/** The facts of a run with those that it was forked from, oldest first, and whose each is. */
async function* history(
  journal: Journal,
  run: RunId,
  upTo = Number.MAX_SAFE_INTEGER,
  depth = 0,
): AsyncGenerator<readonly [RunId, StoredEvent], void> {
  if (depth > FORK_DEPTH_MAX) throw new RangeError(`run ${run} is forked too deep`);
  for (let after = 0; after < upTo;) {
    const page = await journal.readStream(runStream(run), { after, limit: PAGE });
    for (const event of page) {
      if (event.seq > upTo) return;
      const from = event.type === 'run.forked' ? parseRunId(event.payload.from) : undefined;
      if (event.type === 'run.forked' && from !== undefined)
        yield* history(journal, from, event.payload.seq, depth + 1);
      yield [run, event];
      after = event.seq;
    }
    if (page.length < PAGE) return;
  }
}
