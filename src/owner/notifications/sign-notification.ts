/** The signature of a notification that goes to a URL. With it, the receiver knows who sent it, and when. */
import { join } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { signText } from '../../base/hash-text.ts';
import { readSmallFile } from '../../host/files/read-text-file.ts';
import type { RunRequest } from '../../protocol/api.ts';
import { isUrl } from './check-notify.ts';

/** In the environment of the owner, because the owner sends notifications. Supervisor stores it nowhere. */
const SECRET_VARIABLE = 'SUPERVISOR_NOTIFY_SECRET';
/** A file of the home, for owners that start without the variable: after a crash, or from another shell. */
const SECRET_FILE = 'notify-secret';
const SECRET_BYTES_MAX = 4096;

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined: there is none, and notifications are not signed. Read each time, so a new file needs no restart. */
export async function findNotifySecret(
  { [SECRET_VARIABLE]: secret = '' }: Environment,
  home: string,
): Promise<string | undefined> {
  if (secret !== '') return secret;
  const file = await readSmallFile(secretPath(home), SECRET_BYTES_MAX);
  const text = file.kind === 'text' ? file.text.trim() : '';
  return text === '' ? undefined : text;
}

/** Why a notification that has to be signed is not sent. */
export function describeUnsigned(home: string): string {
  return `not sent: it has to be signed, and this owner has no ${SECRET_VARIABLE}. Put the secret into ${secretPath(home)}`;
}

function secretPath(home: string): string {
  return join(home, SECRET_FILE);
}

/** The header. The time is part of what is signed, so an old notification can't be sent again as a new one. */
export function signNotification(
  body: string,
  secret: string,
  nowMs: number,
): Readonly<Record<string, string>> {
  const seconds = Math.floor(nowMs / 1000);
  const digest = signText(`${seconds}.${body}`, secret);
  return { 'x-supervisor-signature': `t=${seconds},v1=${digest}` };
}

/** Whether the notifications of a run are signed. A shell that has the secret expects it, so an owner without it refuses. */
export async function signsNotifications(
  { notify, signsNotify }: Pick<RunRequest, 'notify' | 'signsNotify'>,
  env: Environment,
  home: string,
): Promise<boolean> {
  if (notify === undefined || !isUrl(notify)) return false;
  if ((await findNotifySecret(env, home)) !== undefined) return true;
  if (signsNotify !== true) return false;
  throw new Refusal({
    code: 'request.invalid',
    message: `The owner was started without ${SECRET_VARIABLE}, so it can't sign the notifications of this run.`,
    hint: `Put the secret into ${secretPath(home)}, or start the owner again from this shell: supervisor down. The next command starts it.`,
  });
}
