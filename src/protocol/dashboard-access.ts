/** The stored form of the access to the dashboard, and the requests that give and end it. */
import { z } from 'zod';

/** `read-only` sees everything and changes nothing. */
export const DashboardRole = z.enum(['operator', 'read-only']);
export type DashboardRole = z.infer<typeof DashboardRole>;

/** Where a person acted, if not at a terminal: in the dashboard, or on the page that a link to one question opens. */
export const PageChannel = z.enum(['web', 'phone']);
export type PageChannel = z.infer<typeof PageChannel>;

const LINKS_MAX = 100;
const SESSIONS_MAX = 100;
const PORT_MAX = 65_535;

/** SHA-256, in hex. The tokens themselves are stored nowhere. */
const TokenHash = z.string().regex(/^[0-9a-f]{64}$/);
const port = z.int().min(1).max(PORT_MAX);

/** Opens the dashboard once. */
const EntryLink = z.strictObject({
  token: TokenHash,
  role: DashboardRole,
  expiresAt: z.number(),
});

/** Shows one open question, and takes the decision about it. */
const QuestionLink = z.strictObject({
  token: TokenHash,
  run: z.string().max(100),
  key: z.string().max(500),
  expiresAt: z.number(),
});
export type QuestionLink = z.infer<typeof QuestionLink>;

/** A browser that has followed a link. It proves itself by its cookie and by the key that its page keeps. */
const PageSession = z.strictObject({
  /** For people and the log. It proves nothing. */
  id: z.string().regex(/^[0-9a-f]{8}$/),
  cookie: TokenHash,
  pageKey: TokenHash,
  role: DashboardRole,
  startedAt: z.number(),
  expiresAt: z.number(),
});
export type PageSession = z.infer<typeof PageSession>;

/** The file of the home from which the next owner knows the port and who has access. */
export const DashboardFile = z.strictObject({
  version: z.literal(1),
  /** Null: no port was opened yet. */
  port: port.nullable(),
  /** The address of a proxy in front of the port. */
  publicUrl: z.string().max(1000).nullable(),
  links: z.array(EntryLink).max(LINKS_MAX),
  questions: z.array(QuestionLink).max(LINKS_MAX),
  sessions: z.array(PageSession).max(SESSIONS_MAX),
});
export type DashboardAccess = z.infer<typeof DashboardFile>;

const LinkPlace = {
  /** Absent: the one that is in use, or any free port. */
  port: port.exactOptional(),
  /** Null: no longer. Absent: as before. */
  publicUrl: z.string().max(1000).nullable().exactOptional(),
};

export const LinkRequest = z.strictObject({
  role: DashboardRole.prefault('operator'),
  ...LinkPlace,
});
export type LinkRequest = z.input<typeof LinkRequest>;

/** A link to one question. It takes the decision about it. */
export const QuestionLinkRequest = z.strictObject({
  run: z.string().max(100),
  ...LinkPlace,
});
export type QuestionLinkRequest = z.input<typeof QuestionLinkRequest>;

export const DashboardLink = z.strictObject({
  url: z.string(),
  /** `question`: only one question of one run. */
  role: z.enum([...DashboardRole.options, 'question']),
  expiresAt: z.number(),
});
export type DashboardLink = z.infer<typeof DashboardLink>;

/** What all links and sessions were, after they have been ended. */
export const EndedAccess = z.strictObject({ sessions: z.int(), links: z.int() });
export type EndedAccess = z.infer<typeof EndedAccess>;

/** What a page learns about its own session. */
export const SessionView = z.strictObject({
  role: DashboardRole,
  expiresAt: z.number(),
  version: z.string(),
  home: z.string(),
});
export type SessionView = z.infer<typeof SessionView>;
