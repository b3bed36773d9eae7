/** What the user's git did with the work of a run, in one line. */
import type { StoredEvent } from '../../protocol/event.ts';

type Moved = Extract<StoredEvent, { type: 'work.merged' | 'work.rolled-back' }>;

export function describeMoved(event: Moved): string {
  if (event.type === 'work.merged') {
    const { run, branch, into, made } = event.payload;
    return `run ${run}: ${branch} was merged into ${into} (${made.slice(0, 12)})`;
  }
  const { run, how, commits } = event.payload;
  const names = commits.map((commit) => commit.slice(0, 12)).join(', ');
  const what = how === 'reverted' ? `reverted ${names}` : `deleted its branch (${names})`;
  return `run ${run}: rolled back, git ${what}`;
}
