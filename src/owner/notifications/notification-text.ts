/** A notification in words, for receivers that are people. */
import { cutAtWord, oneLine } from '../../base/text.ts';
import type { Notification } from './deliver-notification.ts';

const TITLE_CHARS_MAX = 120;
const TASK_CHARS_MAX = 200;
const REASON_CHARS_MAX = 1000;

const HAPPENED: Readonly<Record<Notification['event'], (state: string) => string>> = {
  asks: () => 'has a question',
  ended: (state) => `has ended: ${state}`,
  login: () => 'uses a login that is about to expire',
  paused: () => 'is paused: its agent does not react',
};

export type NotificationText = { readonly title: string; readonly body: string };

/** What an agent wrote is data here: it is cut, and a title is one line. */
export function describeNotification({
  event,
  run_id: run,
  state,
  project,
  task = '',
  reason = '',
  remedy = null,
}: Notification): NotificationText {
  const title = `Run ${run} ${HAPPENED[event](state)}`;
  const lines = [
    cutAtWord(oneLine(task), TASK_CHARS_MAX),
    cutAtWord(reason.trim(), REASON_CHARS_MAX),
    remedy ?? '',
    `Project: ${oneLine(project)}`,
  ];
  return {
    title: cutAtWord(oneLine(title), TITLE_CHARS_MAX),
    body: lines.filter((line) => line !== '').join('\n'),
  };
}
