/** What the user's git did with the work of a run, in one line. */
import type { StoredEvent } from '../../protocol/event.ts';

type Moved = Extract<StoredEvent, { type: 'work.merged' | 'work.rolled-back' }>;

export function describeMoved(event: Moved): string {
  if (event.type === 'work.merged') {
    const { run, branch, into, made } = event.payload;
    return `run ${run}: ${branch} was merged into ${into} (${made.slice(0, 12)})`;
  }
  const { run, how, commits, phase, project } = event.payload;
  const names = commits.map((commit) => commit.slice(0, 12)).join(', ');
  const what = {
    reverted: `reverted ${names}`,
    'branch-deleted': `deleted its branch (${names})`,
    'branch-shortened': `took ${names} off its branch`,
  }[how];
  const part = phase === undefined ? '' : ` ${phase}`;
  const where = project === undefined ? '' : ` in ${project}`;
  return `run ${run}: rolled back${part}${where}, git ${what}`;
}
