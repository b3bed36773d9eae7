/** Telling people of runs, as a child of the owner's tree. When it ends, what is written down by then is told first. */
import type { Journal } from '../store/journal.ts';
import type { ChildSpec } from '../supervision/index.ts';
import { deliverNotice } from './deliver-notice.ts';
import { Notices } from './notices.ts';
import type { OwnerOptions } from './owner-options.ts';
import { Part } from './part.ts';
import { tagOfOwner } from './state-hold.ts';
import type { Stories } from './stories.ts';

/** Each delivery has a bound of its own; this is for those that go on side by side. */
const CLOSE_MS = 30_000;

export function noticesChild(
  options: OwnerOptions,
  journal: () => Journal,
  stories: Stories,
): ChildSpec {
  const { clock, log, agentEnv: env } = options;
  const ports = { clock, env, tag: `${tagOfOwner(options)}/notices` };
  return {
    id: 'teller',
    shutdown: CLOSE_MS,
    start: async () => {
      const notices = await Notices.open({
        journal: journal(),
        clock,
        log,
        tell: (run, about) => stories.notice(run, about),
        deliver: (notify, notice) => deliverNotice(notify, notice, ports),
        onFault: (why) => part.fail(why),
      });
      const part: Part = new Part(() => notices.close());
      return { kind: 'started', child: part };
    },
  };
}
