/** Delivers a notification about a run: to a command on its standard input, or to a URL by POST. */
import type { Clock } from '../../base/clock.ts';
import { shellWords } from '../../base/shell-words.ts';
import { oneLine } from '../../base/text.ts';
import type { PostAnswer } from '../../host/net/post-json.ts';
import { postJson } from '../../host/net/post-json.ts';
import type { NotificationDocument } from '../../public-json/reading-documents.ts';
import { runCommand } from '../../host/process/run-command.ts';
import { isUrl } from './check-notify.ts';
import { describeUnsigned, findNotifySecret, signNotification } from './sign-notification.ts';

/** The content of a notification. The command also gets these fields in its environment. */
export type Notification = Pick<NotificationDocument, 'event' | 'run_id' | 'state' | 'project'> &
  Partial<Pick<NotificationDocument, 'root_run_id' | 'task' | 'reason' | 'remedy'>>;

export type NotificationDeliveryPorts = {
  readonly clock: Clock;
  /** The part of the environment that the command receives. */
  readonly env: Readonly<Record<string, string>>;
  readonly tag: string;
  /** The folder that may hold the secret for signatures. */
  readonly home: string;
  /** The environment of the owner, which may have the secret too. */
  readonly ownerEnv: Readonly<Record<string, string | undefined>>;
};

export const DELIVER_MS = 10_000;
const OUTPUT_BYTES_MAX = 64_000;
const MESSAGE_CHARS_MAX = 200;

/** Where a notification goes. One that has to be signed is not sent without the secret. */
export type NotifyAddress = { readonly notify: string; readonly signs: boolean };

/** Resolves with the result as text. Never rejects, because nothing depends on it. */
export async function deliverNotification(
  { notify, signs }: NotifyAddress,
  notification: Notification,
  ports: NotificationDeliveryPorts,
): Promise<string> {
  const body = `${JSON.stringify(notification)}\n`;
  return isUrl(notify)
    ? post({ notify, signs }, body, ports)
    : run(notify, notification, body, ports);
}

async function post(
  { notify: url, signs }: NotifyAddress,
  body: string,
  { clock, ownerEnv, home }: NotificationDeliveryPorts,
): Promise<string> {
  const secret = await findNotifySecret(ownerEnv, home);
  if (signs && secret === undefined) return describeUnsigned(home);
  const signature = secret === undefined ? {} : signNotification(body, secret, clock.now());
  return describePost(await postJson(url, body, DELIVER_MS, signature));
}

export function describePost(answer: PostAnswer): string {
  switch (answer.kind) {
    case 'answered':
      return answer.status < 300
        ? 'delivered'
        : notDelivered(`the address answered ${answer.status}`);
    case 'late':
      return notDelivered(`the address took longer than ${DELIVER_MS / 1000} s`);
    case 'unreachable':
      return notDelivered(answer.message);
  }
}

export function notDelivered(why: string): string {
  return `not delivered: ${oneLine(why).slice(0, MESSAGE_CHARS_MAX)}`;
}

async function run(
  command: string,
  { event, run_id: id, root_run_id: root = id, state, project }: Notification,
  body: string,
  { clock, env, tag }: NotificationDeliveryPorts,
): Promise<string> {
  const variables = {
    SUPERVISOR_EVENT: event,
    SUPERVISOR_RUN: id,
    SUPERVISOR_ROOT_RUN: root,
    SUPERVISOR_STATE: state,
    SUPERVISOR_PROJECT: project,
  };
  const argv = shellWords(command) ?? [];
  // The command does not run in the project, because it must not pick up a program or settings file
  // that an agent left there.
  const answer = await runCommand(
    { argv, cwd: env['HOME'] ?? '/', env: { ...env, ...variables }, stdin: body },
    { clock, tag, deadlineMs: DELIVER_MS, outputBytesMax: OUTPUT_BYTES_MAX },
  );
  switch (answer.kind) {
    case 'ended': {
      if (answer.code === 0) return 'delivered';
      const lastLine = answer.stderr.trim().split('\n').at(-1)?.slice(0, MESSAGE_CHARS_MAX) ?? '';
      return `not delivered: the command ended with ${answer.code}${lastLine === '' ? '' : `, ${lastLine}`}`;
    }
    case 'late':
      return `not delivered: the command took longer than ${DELIVER_MS / 1000} s`;
    case 'called-off':
      return 'not delivered: the command was cancelled';
    case 'flooded':
      return 'not delivered: the command printed too much output';
    case 'not-started':
      return `not delivered: ${answer.message.slice(0, MESSAGE_CHARS_MAX)}`;
  }
}
