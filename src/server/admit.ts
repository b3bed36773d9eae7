/**
 * Who may speak to the owner over TCP. Every page in the user's browser, and every program of every
 * user of this machine, can send a request to a loopback port: so a request must know the token, must
 * name us as its host (a name that was made to point here is not ours), and must not come from a page
 * of somebody else.
 */
import { timingSafeEqual } from 'node:crypto';
import { Refusal } from '../base/errors.ts';

export type Listener = { readonly host: string; readonly port: number; readonly token: string };

/** What is looked at. Names are in small letters, as HTTP gives them. */
export type RequestOrigin = { readonly header: (name: string) => string | null };

/** Addresses of this machine that nothing else can reach. */
const LOOPBACK = new Set(['127.0.0.1', '::1']);

/** The refusal that this caller gets; undefined when it may come in. */
export function originRefusal(
  { header }: RequestOrigin,
  { host, port, token }: Listener,
): Refusal | undefined {
  const names = new Set([authority(host, port), `localhost:${port}`]);
  const named = header('host');
  if (named === null || !names.has(named.toLowerCase()))
    return forbidden(`The host ${JSON.stringify(named ?? '')} is not this owner.`);
  const origin = header('origin');
  const isOurs = origin === null || [...names].some((name) => origin === `http://${name}`);
  const site = header('sec-fetch-site');
  if (!isOurs || (site !== null && site !== 'same-origin' && site !== 'none'))
    return forbidden(`A page of ${origin ?? 'another site'} may not ask this owner.`);
  const given = /^Bearer ([\w-]+)$/i.exec(header('authorization') ?? '')?.[1];
  return given !== undefined && isSame(given, token) ? undefined : unknown();
}

/** `127.0.0.1:4242`, `localhost:0`, `[::1]:4242`; refuses whatever others could reach. */
export function parseListen(text: string): Pick<Listener, 'host' | 'port'> {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const name = (bracketed ?? plain ?? '').toLowerCase();
  const host = name === 'localhost' ? '127.0.0.1' : name;
  const port = Number(digits);
  if (digits !== '' && LOOPBACK.has(host) && port <= 65_535) return { host, port };
  throw new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(text)} is no address of this machine alone.`,
    hint: 'Use 127.0.0.1:PORT or [::1]:PORT; port 0 takes a free one.',
  });
}

export function listenUrl({ host, port }: Pick<Listener, 'host' | 'port'>): string {
  return `http://${authority(host, port)}`;
}

function authority(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** In a time that does not tell how much of it was right. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function forbidden(message: string): Refusal {
  return new Refusal({
    code: 'api.forbidden',
    message,
    hint: 'Ask it from a program, under the address that `supervisor owner status` names.',
  });
}

function unknown(): Refusal {
  return new Refusal({
    code: 'api.unauthorized',
    message: 'This owner answers to those who know its token.',
    hint: 'Send the header "authorization: Bearer …" with what stands in the file api-token of its home.',
  });
}
