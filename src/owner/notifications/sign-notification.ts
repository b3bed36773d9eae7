/** The signature of a notification that goes to a URL. With it, the receiver knows who sent it, and when. */
import { Refusal } from '../../base/errors.ts';
import { signText } from '../../base/hash-text.ts';
import type { RunRequest } from '../../protocol/api.ts';

/** In the environment of the owner, because the owner sends notifications. It is stored nowhere. */
const SECRET_VARIABLE = 'SUPERVISOR_NOTIFY_SECRET';

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined: there is none, and notifications are not signed. */
export function notifySecret({ [SECRET_VARIABLE]: secret }: Environment): string | undefined {
  return secret === '' ? undefined : secret;
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

/** A shell that has the secret expects signed notifications, so an owner without it refuses the run. */
export function requireSecret(
  { signsNotify }: Pick<RunRequest, 'signsNotify'>,
  env: Environment,
): void {
  if (signsNotify !== true || notifySecret(env) !== undefined) return;
  throw new Refusal({
    code: 'request.invalid',
    message: `The owner was started without ${SECRET_VARIABLE}, so it can't sign the notifications of this run.`,
    hint: 'Start the owner again from this shell: supervisor down. The next command starts it.',
  });
}
