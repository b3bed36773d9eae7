/**
 * The component that sends notifications. When it closes, notifications for facts that are already
 * recorded are delivered first.
 */
import type { Journal } from '../../store/journal.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import { deliverNotification } from './deliver-notification.ts';
import { Notifications } from './notifications.ts';
import type { OwnerOptions } from '../owner-options.ts';
import { OwnerComponent } from '../component.ts';
import { ownerTag } from '../owner-state.ts';
import type { RunReports } from '../runs/run-reports.ts';

/** Each delivery has its own time limit. This is for several deliveries at the same time. */
const CLOSE_MS = 30_000;

export function notificationsChild(
  options: OwnerOptions,
  journal: () => Journal,
  reports: RunReports,
): ChildSpec {
  const { clock, log, agentEnv: env } = options;
  const ports = { clock, env, tag: `${ownerTag(options)}/notices` };
  return {
    id: 'sender',
    shutdown: CLOSE_MS,
    start: async () => {
      const notifications = await Notifications.open({
        journal: journal(),
        clock,
        log,
        create: (run, about) => reports.notice(run, about),
        deliver: (notify, notice) => deliverNotification(notify, notice, ports),
        onFault: (why) => component.fail(why),
      });
      const component: OwnerComponent = new OwnerComponent(() => notifications.close());
      return { kind: 'started', child: component };
    },
  };
}
