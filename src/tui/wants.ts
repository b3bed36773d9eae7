/** What the screen that is shown needs from the owner. A value that differs from the last one is fetched again. */
import { questionOf, shown } from './top-state.ts';
import type { TopState } from './top-state.ts';

type Wants = {
  /** The run of which facts and output are followed. */
  readonly follow: string | null;
  readonly why: string | null;
  readonly change: string | null;
  readonly tree: boolean;
};

export function wantsOf(state: TopState): Wants {
  const screen = shown(state);
  const follow = screen.kind === 'run' || screen.kind === 'review' ? screen.run : null;
  const { open } = state.board;
  // A note about a running command changes neither the state nor its causes.
  const seq = open?.events.findLast(({ type }) => type !== 'command.noted')?.seq ?? 0;
  const isStory = screen.kind === 'run' && (screen.tab === 'story' || screen.tab === 'output');
  return {
    follow,
    why: isStory && seq > 0 && open?.id === screen.run ? `${screen.run} ${seq}` : null,
    change:
      screen.kind === 'review' && state.link.kind === 'live' ? changeKey(state, screen.run) : null,
    tree: screen.kind === 'tree',
  };
}

/** Another approval, or another tree, is another change. It is also fetched again after a refusal. */
function changeKey(state: TopState, run: string): string {
  const question = questionOf(state, run);
  const isMissing = state.change === null || state.change.run !== run;
  return `${run} ${question?.key ?? ''} ${question?.approval?.work ?? ''}${isMissing ? ' missing' : ''}`;
}
