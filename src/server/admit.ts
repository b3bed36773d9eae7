/**
 * Which requests over TCP the owner accepts. Every page in the user's browser, and every program of every
 * user of this machine, can send a request to a loopback port. So a request must contain the token. It must
 * name the listener as its host, because a foreign domain name can resolve to this machine. And it must not
 * come from a page of another site.
 */
import { timingSafeEqual } from 'node:crypto';
import { Refusal } from '../base/errors.ts';

export type Listener = { readonly host: string; readonly port: number; readonly token: string };

/** The headers of a request, by lowercase name. */
export type RequestOrigin = { readonly header: (name: string) => string | null };

/** Addresses that only this machine can reach. */
const LOOPBACK = new Set(['127.0.0.1', '::1']);

/** The refusal of a request. Undefined if it is accepted. */
export function originRefusal(
  { header }: RequestOrigin,
  { host, port, token }: Listener,
): Refusal | undefined {
  const names = new Set([authority(host, port), `localhost:${port}`]);
  const named = header('host');
  if (named === null || !names.has(named.toLowerCase()))
    return forbidden(`Forbidden: the host ${JSON.stringify(named ?? '')} is not this owner.`);
  const origin = header('origin');
  const isOurs = origin === null || [...names].some((name) => origin === `http://${name}`);
  const site = header('sec-fetch-site');
  if (!isOurs || (site !== null && site !== 'same-origin' && site !== 'none'))
    return forbidden(
      `Forbidden: requests from pages of ${origin ?? 'another site'} are not allowed.`,
    );
  const given = /^Bearer ([\w-]+)$/i.exec(header('authorization') ?? '')?.[1];
  return given !== undefined && isSame(given, token) ? undefined : unauthorized();
}

/** Parses `127.0.0.1:4242`, `localhost:0` or `[::1]:4242`. Refuses addresses that other machines can reach. */
export function parseListen(text: string): Pick<Listener, 'host' | 'port'> {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const name = (bracketed ?? plain ?? '').toLowerCase();
  const host = name === 'localhost' ? '127.0.0.1' : name;
  const port = Number(digits);
  if (digits !== '' && LOOPBACK.has(host) && port <= 65_535) return { host, port };
  throw new Refusal({
    code: 'usage.invalid',
    message: `Invalid value for --listen: ${JSON.stringify(text)} is not a local address with a port.`,
    hint: 'Use 127.0.0.1:PORT or [::1]:PORT. Port 0 picks a free one.',
  });
}

export function listenUrl({ host, port }: Pick<Listener, 'host' | 'port'>): string {
  return `http://${authority(host, port)}`;
}

export function authority(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Compares in constant time, so that the time does not reveal how much of the token was right. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function forbidden(message: string): Refusal {
  return new Refusal({
    code: 'api.forbidden',
    message,
    hint: 'Send requests from a program, to the address that `supervisor owner status` shows.',
  });
}

function unauthorized(): Refusal {
  return new Refusal({
    code: 'api.unauthorized',
    message: 'Unauthorized: missing or invalid API token.',
    hint: 'Send the header "authorization: Bearer TOKEN". The token is in the file api-token of the home.',
  });
}
