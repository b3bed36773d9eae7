/** Who has access to the dashboard: pure changes of its stored state. Time and tokens are parameters. */
import type {
  DashboardAccess,
  DashboardRole,
  PageSession,
} from '../../protocol/dashboard-access.ts';
import { findByToken, hashToken, isSameHash } from './access-tokens.ts';

export const LINK_MS = 10 * 60_000;
export const QUESTION_LINK_MS = 24 * 3_600_000;
export const SESSION_MS = 7 * 24 * 3_600_000;
/** More of each than a person needs. The oldest goes first. */
export const LINKS_KEPT_MAX = 20;
const SESSIONS_KEPT_MAX = 50;

export const NO_ACCESS: DashboardAccess = {
  version: 1,
  port: null,
  publicUrl: null,
  links: [],
  questions: [],
  sessions: [],
};

/** Without what has expired. */
export function withoutExpired(access: DashboardAccess, now: number): DashboardAccess {
  const isValid = ({ expiresAt }: { readonly expiresAt: number }): boolean => expiresAt > now;
  return {
    ...access,
    links: access.links.filter(isValid),
    questions: access.questions.filter(isValid),
    sessions: access.sessions.filter(isValid),
  };
}

/** Whether a browser may still come. Otherwise the port is closed. */
export function isInUse({ links, questions, sessions }: DashboardAccess): boolean {
  return links.length + questions.length + sessions.length > 0;
}

export function withLink(
  access: DashboardAccess,
  token: string,
  role: DashboardRole,
  now: number,
): DashboardAccess {
  const link = { token: hashToken(token), role, expiresAt: now + LINK_MS };
  return { ...access, links: [...access.links, link].slice(-LINKS_KEPT_MAX) };
}

export function withQuestionLink(
  access: DashboardAccess,
  token: string,
  question: { readonly run: string; readonly key: string },
  now: number,
): DashboardAccess {
  const { run, key } = question;
  const link = { token: hashToken(token), run, key, expiresAt: now + QUESTION_LINK_MS };
  return { ...access, questions: [...access.questions, link].slice(-LINKS_KEPT_MAX) };
}

/** What a new session is known by. */
export type SessionSecrets = {
  readonly id: string;
  readonly cookie: string;
  readonly pageKey: string;
};

/** Exchanges a link for a session. The link is gone then. Undefined: no such link. */
export function enter(
  access: DashboardAccess,
  token: string,
  { id, cookie, pageKey }: SessionSecrets,
  now: number,
): { readonly access: DashboardAccess; readonly session: PageSession } | undefined {
  const link = findByToken(access.links, token);
  if (link === undefined || link.expiresAt <= now) return undefined;
  const session: PageSession = {
    id,
    cookie: hashToken(cookie),
    pageKey: hashToken(pageKey),
    role: link.role,
    startedAt: now,
    expiresAt: now + SESSION_MS,
  };
  return {
    session,
    access: {
      ...access,
      links: access.links.filter((one) => one !== link),
      sessions: [...access.sessions, session].slice(-SESSIONS_KEPT_MAX),
    },
  };
}

/**
 * The session of a browser that sends both of its secrets. The cookie alone is not enough: a browser sends it to every
 * port of this machine, and another user may listen on one of them.
 */
export function findSession(
  { sessions }: DashboardAccess,
  cookie: string,
  pageKey: string,
  now: number,
): PageSession | undefined {
  const [cookieHash, keyHash] = [hashToken(cookie), hashToken(pageKey)];
  const found = sessions.filter((one) => {
    const [isCookie, isKey] = [
      isSameHash(one.cookie, cookieHash),
      isSameHash(one.pageKey, keyHash),
    ];
    return isCookie && isKey;
  })[0];
  return found === undefined || found.expiresAt <= now ? undefined : found;
}
