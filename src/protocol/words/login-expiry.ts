/** When the login of a CLI expires. In a sandbox nothing can renew it, so a person is told in time. */
import { z } from 'zod';
import { formatDuration } from '../../base/format-duration.ts';

export const LoginExpiry = z.strictObject({
  cli: z.string(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
});
export type LoginExpiry = Readonly<z.infer<typeof LoginExpiry>>;

/** How long before its end a person is told. */
export const LOGIN_NOTICE_MS = 1_800_000;

export function isAboutToExpire({ expiresAt }: LoginExpiry, now: number): boolean {
  return expiresAt - now <= LOGIN_NOTICE_MS;
}

/** What happens, when, and what to do. Null: there is nothing to say yet. */
export function describeLogin(login: LoginExpiry | null | undefined, now: number): string | null {
  if (login === null || login === undefined || !isAboutToExpire(login, now)) return null;
  const { cli, expiresAt } = login;
  const time = new Date(expiresAt).toISOString();
  const renew = `Start ${cli} once, which renews it, or log in again`;
  return expiresAt <= now
    ? `the login of ${cli} expired at ${time}. ${renew}, and resume the run`
    : `the login of ${cli} expires in ${formatDuration(expiresAt - now)}, at ${time}. ${renew}. A run whose login expires waits for you`;
}
