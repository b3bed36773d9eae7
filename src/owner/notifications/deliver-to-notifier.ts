/** Delivers a notification to one of the notifiers in the user's settings. */
import { postJson } from '../../host/net/post-json.ts';
import type { MailAnswer } from '../../host/net/send-mail.ts';
import { sendMail } from '../../host/net/send-mail.ts';
import type { NotifierChannel } from '../../settings/notification-config.ts';
import type { Notification, NotificationDeliveryPorts } from './deliver-notification.ts';
import {
  DELIVER_MS,
  deliverNotification,
  describePost,
  notDelivered,
} from './deliver-notification.ts';
import { describeNotification } from './notification-text.ts';

/** Resolves with the result as text. Never rejects, because nothing depends on it. */
export async function deliverToNotifier(
  via: NotifierChannel,
  notification: Notification,
  ports: NotificationDeliveryPorts,
): Promise<string> {
  const { title, body } = describeNotification(notification);
  switch (via.kind) {
    case 'slack':
      return describePost(
        await postJson(
          via.url,
          JSON.stringify({ text: slackText(`${title}\n${body}`) }),
          DELIVER_MS,
        ),
      );
    case 'ntfy':
      return postToNtfy(via, { title, message: body }, ports);
    case 'webhook':
      return deliverNotification({ notify: via.url, signs: false }, notification, ports);
    case 'command':
      return deliverNotification({ notify: via.command, signs: false }, notification, ports);
    case 'smtp':
      return mail(via, { subject: `Supervisor: ${title}`, text: `${body}\n` }, ports);
  }
}

/** Slack reads these three characters as markup: a text of an agent must not call people or hide a link. */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** As JSON to the server, because a header could not hold every title. The topic is the end of the URL. */
async function postToNtfy(
  { url, tokenEnv }: Extract<NotifierChannel, { kind: 'ntfy' }>,
  text: { readonly title: string; readonly message: string },
  { ownerEnv }: NotificationDeliveryPorts,
): Promise<string> {
  const at = new URL(url);
  const [, folder = '/', topic = ''] = /^(.*\/)([^/]+)\/?$/.exec(at.pathname) ?? [];
  if (topic === '') return notDelivered(`the URL ${at.origin} names no topic`);
  const token = tokenEnv === null ? undefined : ownerEnv[tokenEnv];
  if (tokenEnv !== null && token === undefined) return notDelivered(lacks(tokenEnv));
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const body = JSON.stringify({ topic: decodeURIComponent(topic), ...text });
  return describePost(await postJson(`${at.origin}${folder}`, body, DELIVER_MS, headers));
}

async function mail(
  { host, port, secure, login, from, to }: Extract<NotifierChannel, { kind: 'smtp' }>,
  content: { readonly subject: string; readonly text: string },
  { ownerEnv }: NotificationDeliveryPorts,
): Promise<string> {
  const password = login === null ? undefined : ownerEnv[login.passwordEnv];
  if (login !== null && password === undefined) return notDelivered(lacks(login.passwordEnv));
  const known = login === null ? null : { user: login.user, password: password ?? '' };
  const server = { host, port, secure, login: known };
  return describeMail(await sendMail(server, { from, to, ...content }, DELIVER_MS));
}

function describeMail(answer: MailAnswer): string {
  switch (answer.kind) {
    case 'sent':
      return 'delivered';
    case 'late':
      return notDelivered(`the mail server took longer than ${DELIVER_MS / 1000} s`);
    case 'failed':
      return notDelivered(answer.message);
  }
}

function lacks(variable: string): string {
  return `the owner was started without ${variable}`;
}
