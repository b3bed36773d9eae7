/** The way in: a one-time link becomes a cookie and the key of the page. */
import type { RequestOrigin } from '../admit.ts';
import type { Entered } from './access-store.ts';
import { htmlPage } from './html-page.ts';

const COOKIE = 'supervisor-dashboard';
/** The header in which the page sends its key. No other site can send it. */
export const KEY_HEADER = 'x-supervisor-page';

/**
 * Whether a person opened the address: typed it, or a program opened it for them. Programs that look at links in
 * messages would use it up, and a cookie that is set on the way from another site does not count at once. So anything
 * else gets a page with a button first.
 */
export function isOpenedByPerson(header: RequestOrigin['header']): boolean {
  return header('sec-fetch-site') === 'none' && header('sec-fetch-mode') === 'navigate';
}

export function askToEnter(path: string): Response {
  return htmlPage({
    title: 'Supervisor',
    body: [
      '<h1>Open the dashboard of Supervisor?</h1>',
      '<p>This link works once, and only in this browser from then on.</p>',
      `<form method="post" action="${path}"><button>Open the dashboard</button></form>`,
    ],
  });
}

export function entered(
  { cookie, pageKey, session }: Entered,
  isSecure: boolean,
  now: number,
): Response {
  const seconds = Math.floor((session.expiresAt - now) / 1000);
  const parts = [
    `${COOKIE}=${cookie}`,
    `Max-Age=${seconds}`,
    ...['Path=/', 'HttpOnly', 'SameSite=Strict'],
    ...(isSecure ? ['Secure'] : []),
  ];
  // A fragment stays in the browser: it is in no request and in no log.
  return new Response(null, {
    status: 303,
    headers: { location: `/#key=${pageKey}`, 'set-cookie': parts.join('; ') },
  });
}

export function notEntered(): Response {
  return htmlPage({
    title: 'This link does not work',
    status: 401,
    body: [
      '<h1>This link does not work</h1>',
      '<p>It was used already, it is more than ten minutes old, or it is not complete.</p>',
      '<p>For a new one, run: <code>supervisor dashboard --open</code></p>',
    ],
  });
}

export function tooManyGuesses(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1000);
  return htmlPage({
    title: 'Too many attempts',
    status: 429,
    headers: { 'retry-after': String(seconds) },
    body: ['<h1>Too many attempts</h1>', `<p>Try again in ${seconds} s.</p>`],
  });
}

/** The value of our cookie, if the request has exactly one. */
export function cookieOf(header: RequestOrigin['header']): string | undefined {
  const found = (header('cookie') ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${COOKIE}=`));
  return found.length === 1 ? found[0]?.slice(COOKIE.length + 1) : undefined;
}
