/**
 * Which requests the port of the dashboard answers at all, before it looks at any secret. Every page in the user's
 * browser can send requests to this port, and a foreign name can resolve to this machine. So a request must name an
 * address of this owner as its host, and only our own pages may ask for data or change anything. A page of another site
 * may only navigate here, as a link does, and what that shows contains no data.
 */
import { Refusal } from '../../base/errors.ts';
import type { RequestOrigin } from '../admit.ts';
import { authority } from '../admit.ts';

export type PageAddress = {
  readonly host: string;
  readonly port: number;
  /** The address of a proxy in front of it: `https://host`. */
  readonly publicUrl: string | null;
};

export type PageRequest = RequestOrigin & { readonly method: string; readonly path: string };

/** The refusal of a request. Undefined if it is answered. */
export function pageRefusal(request: PageRequest, address: PageAddress): Refusal | undefined {
  const { header } = request;
  const origins = pageOrigins(address);
  const host = header('host')?.toLowerCase();
  if (host === undefined || !origins.some((one) => new URL(one).host === host))
    return forbidden(`Forbidden: the host ${JSON.stringify(host ?? '')} is not this dashboard.`);
  const site = header('sec-fetch-site');
  const isForeign = site !== null && site !== 'same-origin' && site !== 'none';
  if (isForeign && !isNavigation(request))
    return forbidden('Forbidden: requests from pages of another site are not allowed.');
  if (isFramed(header)) return forbidden('Forbidden: the dashboard is not shown inside a frame.');
  const origin = header('origin');
  // A browser names the origin of every request that may change something.
  const isKnown = origin === null ? !isWrite(request) : origins.includes(origin);
  return isKnown
    ? undefined
    : forbidden(`Forbidden: requests from ${origin ?? 'an unnamed origin'} are not allowed.`);
}

/** The origins of our own pages. */
function pageOrigins({ host, port, publicUrl }: PageAddress): readonly string[] {
  const own = [`http://${authority(host, port)}`, `http://localhost:${port}`];
  return publicUrl === null ? own : [...own, publicUrl];
}

/** A link that a person follows. Data is never at such an address. */
function isNavigation({ header, method, path }: PageRequest): boolean {
  const isPage = header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document';
  return isPage && method === 'GET' && !path.startsWith('/v1/');
}

function isFramed(header: RequestOrigin['header']): boolean {
  const destination = header('sec-fetch-dest') ?? '';
  return ['iframe', 'frame', 'object', 'embed'].includes(destination);
}

function isWrite({ method }: PageRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Such as `https://box.example.net`. Refuses anything but an address without a path. */
export function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    ['https:', 'http:'].includes(url.protocol) &&
    `${url.pathname}${url.search}${url.hash}${url.username}${url.password}` === '/';
  if (isPlain) return url.origin;
  throw new Refusal({
    code: 'usage.invalid',
    message: `Invalid value for --public-url: ${JSON.stringify(text)} is not an address without a path.`,
    hint: 'Write the address that your proxy answers at: --public-url https://box.example.net',
  });
}

/** Whether a request came over the address of the proxy, and that address is encrypted. */
export function isEncrypted(header: RequestOrigin['header'], { publicUrl }: PageAddress): boolean {
  if (publicUrl?.startsWith('https:') !== true) return false;
  return header('host')?.toLowerCase() === new URL(publicUrl).host;
}

function forbidden(message: string): Refusal {
  return new Refusal({
    code: 'api.forbidden',
    message,
    hint: 'Open the dashboard with: supervisor dashboard',
  });
}
