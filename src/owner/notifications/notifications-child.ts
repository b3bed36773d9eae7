/**
 * The component that sends notifications. When it closes, notifications for facts that are already
 * recorded are delivered first.
 */
import type { Journal } from '../../store/journal.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import type { Conclusions } from './conclusions.ts';
import { concludedResult } from './conclusions.ts';
import { deliverNotification } from './deliver-notification.ts';
import { deliverToNotifier } from './deliver-to-notifier.ts';
import { Notifications } from './notifications.ts';
import type { OwnerOptions } from '../owner-options.ts';
import { OwnerComponent } from '../component.ts';
import { ownerTag } from '../owner-state.ts';
import { settingsFor } from '../project-settings.ts';
import type { RunReports } from '../runs/run-reports.ts';

/** Each delivery has its own time limit. This is for several deliveries at the same time. */
const CLOSE_MS = 30_000;

type NotificationSources = {
  readonly reports: RunReports;
  readonly conclusions: Conclusions;
};

export function notificationsChild(
  options: OwnerOptions,
  journal: () => Journal,
  { reports, conclusions }: NotificationSources,
): ChildSpec {
  const { clock, log, agentEnv: env } = options;
  const ports = {
    clock,
    env,
    tag: `${ownerTag(options)}/notices`,
    home: options.home.dir,
    ownerEnv: options.env,
  };
  return {
    id: 'sender',
    shutdown: CLOSE_MS,
    start: async () => {
      const notifications = await Notifications.open({
        journal: journal(),
        clock,
        log,
        conclusion: (run, endedAt, signal) => conclusions.wait(run, endedAt, signal),
        create: async (run, about, conclusion) => {
          const notice = await reports.notice(run, about);
          if (conclusion === undefined) return notice;
          return { ...notice, result: concludedResult(notice.result, conclusion) };
        },
        notifiers: async () =>
          (await settingsFor(options, undefined, [])).settings.notifications.notifiers,
        deliver: (target, notice) =>
          target.kind === 'address'
            ? deliverNotification(target, notice, ports)
            : deliverToNotifier(target.notifier.via, notice, ports),
        onFault: (why) => component.fail(why),
      });
      const component: OwnerComponent = new OwnerComponent(() => notifications.close());
      return { kind: 'started', child: component };
    },
  };
}
