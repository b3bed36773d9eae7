/** Watches the login that an attempt uses: tells a person before it expires, and recognizes a failure by its end. */
import { at } from '../base/clock.ts';
import { failureClass } from '../failures/failure.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import type { LoginExpiry } from '../protocol/words/login-expiry.ts';
import { LOGIN_NOTICE_MS } from '../protocol/words/login-expiry.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';

type Watched = {
  readonly environment: Pick<PreparedAttempt['environment'], 'login'>;
  readonly context: Pick<PreparedAttempt['context'], 'note'>;
  readonly ports: Pick<PreparedAttempt['ports'], 'clock'>;
};

/** Notes once that the login is about to expire. Disposing of it ends the watch. */
export function watchLogin({ environment: { login }, context, ports }: Watched): Disposable {
  const over = new AbortController();
  if (login !== undefined)
    void ports.clock
      .sleepUntil(at(login.expiresAt - LOGIN_NOTICE_MS), over.signal)
      .then((isTime) => (isTime ? context.note({ kind: 'login-expires', ...login }) : undefined));
  return { [Symbol.dispose]: () => over.abort() };
}

/** A provider refuses a login that has expired. A person can renew it, and the same agent then continues. */
export function withExpiredLogin(
  outcome: AttemptOutcome,
  login: LoginExpiry | undefined,
  { run, now }: { readonly run: string; readonly now: number },
): AttemptOutcome {
  if (outcome.kind !== 'failed' || outcome.reason !== 'auth' || outcome.failure === undefined)
    return outcome;
  if (login === undefined || login.expiresAt > now) return outcome;
  const reason = 'keys_missing';
  const message = loginExpired(login.cli, run);
  const failure = { ...outcome.failure, ...failureClass(reason), reason, message } as const;
  return { ...outcome, reason, message, failure };
}

function loginExpired(cli: string, run: string): string {
  return `The login of ${cli} has run out. Start ${cli} once by yourself, which renews it, or log in again. Then run: supervisor resume ${run}`;
}
