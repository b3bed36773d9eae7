/**
 * The port of the dashboard: static files, the way in, and the owner's API for browsers that have come in. The token of
 * the API means nothing here, and a cookie means nothing on the owner's other listeners.
 */
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { PageChannel, PageSession, SessionView } from '../../protocol/dashboard-access.ts';
import { httpStatus } from '../http-status.ts';
import type { HttpHandler } from '../listen.ts';
import type { AccessStore } from './access-store.ts';
import { answerQuestion } from './answer-question.ts';
import type { PageAddress } from './admit-page.ts';
import { isEncrypted, pageRefusal } from './admit-page.ts';
import * as entry from './entry-page.ts';
import { GuessLimit } from './guess-limit.ts';
import { PLAIN_STYLE, PLAIN_STYLE_PATH } from './html-page.ts';
import type { PageFiles } from './page-files.ts';
import { withPageHeaders } from './page-headers.ts';
import { mayAsk } from './page-rights.ts';
import { unknownQuestion } from './question-page.ts';

/** The owner's API, told where a request comes from. */
export type ApiForPages = (
  request: Request,
  from: { readonly channel: PageChannel },
) => Response | Promise<Response>;

export type DashboardPorts = {
  readonly clock: Clock;
  readonly store: AccessStore;
  readonly files: Pick<PageFiles, 'answer'>;
  readonly api: ApiForPages;
  readonly address: () => PageAddress;
  readonly owner: Pick<SessionView, 'version' | 'home'>;
  readonly log: (line: string) => void;
};

/** Tokens have 256 bits, so this keeps a guesser from work, not from success. */
const GUESSES_MAX = 30;
/** A person clicks less often, and a page that runs wild is stopped. */
const WRITES_MAX = 120;
/** A link to one question may be sent around, and a secret can be guessed with it. */
const DECISIONS_MAX = 10;
const WITHIN_MS = 60_000;

export function dashboardApp(ports: DashboardPorts): HttpHandler {
  const app = new DashboardApp(ports);
  return async (request) => withPageHeaders(await app.answer(request));
}

class DashboardApp {
  readonly #ports: DashboardPorts;
  readonly #guesses = new GuessLimit(GUESSES_MAX, WITHIN_MS);
  /** By the id of the session. */
  readonly #writes = new Map<string, GuessLimit>();
  readonly #decisions = new GuessLimit(DECISIONS_MAX, WITHIN_MS);

  constructor(ports: DashboardPorts) {
    this.#ports = ports;
  }

  async answer(request: Request): Promise<Response> {
    const { method } = request;
    const path = new URL(request.url).pathname;
    const header = (name: string): string | null => request.headers.get(name);
    const refusal = pageRefusal({ header, method, path }, this.#ports.address());
    if (refusal !== undefined) return refuse(refusal);
    if (path.startsWith('/v1/')) return this.#answerApi(request, path);
    if (path.startsWith('/enter/')) return this.#enter(request, path);
    if (path.startsWith('/a/')) return this.#question(request, path);
    if (method !== 'GET' && method !== 'HEAD') return refuse(notAllowed(method, path));
    if (path === PLAIN_STYLE_PATH)
      return new Response(PLAIN_STYLE, { headers: { 'content-type': 'text/css; charset=utf-8' } });
    return this.#ports.files.answer(path);
  }

  async #enter(request: Request, path: string): Promise<Response> {
    const { clock, store, address, log } = this.#ports;
    const header = (name: string): string | null => request.headers.get(name);
    const waitMs = this.#guesses.waitMs(clock.elapsedMs());
    if (waitMs > 0) return entry.tooManyGuesses(waitMs);
    const token = /^\/enter\/([\w-]{43})$/.exec(path)?.[1];
    if (token !== undefined && request.method === 'GET' && !entry.isOpenedByPerson(header))
      return entry.askToEnter(path);
    const found = token === undefined ? undefined : await store.enter(token);
    if (found === undefined) {
      this.#guesses.count(clock.elapsedMs());
      return entry.notEntered();
    }
    log(`dashboard: a browser came in as ${found.session.role}, session ${found.session.id}`);
    return entry.entered(found, isEncrypted(header, address()), clock.now());
  }

  /** The page for a phone. All links share one limit, so that nothing is gained by many of them. */
  async #question(request: Request, path: string): Promise<Response> {
    const { clock, store, api } = this.#ports;
    const token = /^\/a\/([\w-]{43})$/.exec(path)?.[1];
    const link = token === undefined ? undefined : store.findQuestion(token);
    // What comes without a link is no decision, or anyone could use up the decisions of those who have one.
    const isDecision = link !== undefined && request.method === 'POST';
    const limit = isDecision ? this.#decisions : this.#guesses;
    const waitMs = limit.waitMs(clock.elapsedMs());
    if (waitMs > 0) return entry.tooManyGuesses(waitMs);
    if (link === undefined || isDecision) limit.count(clock.elapsedMs());
    return link === undefined ? unknownQuestion() : answerQuestion(request, link, api);
  }

  async #answerApi(request: Request, path: string): Promise<Response> {
    const { clock, store, api, owner } = this.#ports;
    const { method } = request;
    const session = this.#findSession(request);
    if (session === undefined) {
      const waitMs = this.#guesses.waitMs(clock.elapsedMs());
      if (waitMs > 0) return refuse(tooMany(waitMs), waitMs);
      this.#guesses.count(clock.elapsedMs());
      return refuse(noSession());
    }
    if (!mayAsk(session.role, method, path)) return refuse(notAllowed(method, path, session));
    if (path === '/v1/session')
      return Response.json({ role: session.role, expiresAt: session.expiresAt, ...owner });
    if (path === '/v1/session/end') {
      await store.endSession(session.id);
      return Response.json({ ended: true });
    }
    const waitMs = method === 'GET' ? 0 : this.#countWrite(session.id);
    return waitMs > 0 ? refuse(tooMany(waitMs), waitMs) : api(request, { channel: 'web' });
  }

  #findSession(request: Request): PageSession | undefined {
    const cookie = entry.cookieOf((name) => request.headers.get(name));
    const pageKey = request.headers.get(entry.KEY_HEADER);
    if (cookie === undefined || pageKey === null) return undefined;
    return this.#ports.store.findSession(cookie, pageKey);
  }

  /** Milliseconds to wait. 0: the write is counted and allowed. */
  #countWrite(session: string): number {
    const now = this.#ports.clock.elapsedMs();
    const known = new Set(this.#ports.store.access.sessions.map(({ id }) => id));
    for (const id of this.#writes.keys()) if (!known.has(id)) this.#writes.delete(id);
    const limit = this.#writes.get(session) ?? new GuessLimit(WRITES_MAX, WITHIN_MS);
    this.#writes.set(session, limit);
    const waitMs = limit.waitMs(now);
    if (waitMs === 0) limit.count(now);
    return waitMs;
  }
}

function refuse(refusal: Refusal, waitMs?: number): Response {
  const status = httpStatus(refusal.data.code);
  const headers: Record<string, string> =
    waitMs === undefined ? {} : { 'retry-after': String(Math.ceil(waitMs / 1000)) };
  return Response.json({ error: refusal.data }, { status, headers });
}

function noSession(): Refusal {
  return new Refusal({
    code: 'api.unauthorized',
    message: 'This browser has no access to the dashboard, or its access has ended.',
    hint: 'Open it with a new link: supervisor dashboard --open',
  });
}

function notAllowed(method: string, path: string, session?: PageSession): Refusal {
  const isReader = session?.role === 'read-only' && method === 'POST';
  return new Refusal({
    code: 'api.forbidden',
    message: isReader
      ? 'Forbidden: this browser may look and change nothing.'
      : `Forbidden: a page may not send ${method} ${path}.`,
    hint: isReader
      ? 'For a link that may decide, run: supervisor dashboard --open'
      : 'Use the command line for it.',
  });
}

function tooMany(waitMs: number): Refusal {
  return new Refusal({
    code: 'api.too-many-requests',
    message: `Too many requests: wait ${Math.ceil(waitMs / 1000)} s.`,
    hint: 'Then try again.',
  });
}
