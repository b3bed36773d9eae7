/** Telling people of runs, as a child of the owner's tree. When it ends, what is written down by then is told first. */
import type { Journal } from '../../store/journal.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import { deliverNotification } from './deliver-notification.ts';
import { Notifications } from './notifications.ts';
import type { OwnerOptions } from '../owner-options.ts';
import { OwnerComponent } from '../component.ts';
import { ownerTag } from '../owner-state.ts';
import type { RunReports } from '../runs/run-reports.ts';

/** Each delivery has a bound of its own; this is for those that go on side by side. */
const CLOSE_MS = 30_000;

export function notificationsChild(
  options: OwnerOptions,
  journal: () => Journal,
  stories: RunReports,
): ChildSpec {
  const { clock, log, agentEnv: env } = options;
  const ports = { clock, env, tag: `${ownerTag(options)}/notices` };
  return {
    id: 'teller',
    shutdown: CLOSE_MS,
    start: async () => {
      const notices = await Notifications.open({
        journal: journal(),
        clock,
        log,
        tell: (run, about) => stories.notice(run, about),
        deliver: (notify, notice) => deliverNotification(notify, notice, ports),
        onFault: (why) => part.fail(why),
      });
      const part: OwnerComponent = new OwnerComponent(() => notices.close());
      return { kind: 'started', child: part };
    },
  };
}
