/** Schema of the section `notifications`: which events are sent where. */
import { z } from 'zod';
import { shellWords } from '../base/shell-words.ts';
import { KEYS, matching, text, whole } from './schema-fields.ts';

/** `asks` is any question that is no `approval`. `paused`: Supervisor paused the run, not a person. */
const NOTIFIED_EVENTS = ['approval', 'asks', 'ended', 'login', 'paused'] as const;
export type NotifiedEvent = (typeof NOTIFIED_EVENTS)[number];

/** The run that a command watches may end or ask. */
const TERMINAL_EVENTS = ['approval', 'asks', 'ended'] as const;

const KINDS = ['slack', 'ntfy', 'smtp', 'webhook', 'command'] as const;
type Kind = (typeof KINDS)[number];

/** The keys of each kind besides `name`, `kind` and `events`. */
const KEYS_OF: Readonly<
  Record<Kind, { readonly needs: readonly Detail[]; readonly may: readonly Detail[] }>
> = {
  slack: { needs: ['url'], may: [] },
  ntfy: { needs: ['url'], may: ['token_env'] },
  smtp: { needs: ['host', 'from', 'to'], may: ['port', 'secure', 'user', 'password_env'] },
  webhook: { needs: ['url'], may: [] },
  command: { needs: ['command'], may: [] },
};

const NOTIFIERS_MAX = 20;
const RECEIVERS_MAX = 20;
const SMTP_PORT = 587;
const SMTP_TLS_PORT = 465;

const address = matching(
  /^[^\s<>@,;"]{1,64}@[^\s<>@,;"]{1,255}$/,
  'an address such as me@example.com',
);
const variable = matching(/^[A-Za-z_][A-Za-z0-9_]{0,200}$/, 'the name of an environment variable');
const eventError = `a list of: ${NOTIFIED_EVENTS.join(', ')}`;

const details = {
  url: matching(/^https?:\/\/[^\s\0]{1,2000}$/i, 'a URL that starts with http:// or https://')
    .refine((url) => URL.canParse(url), { error: 'a URL that starts with http:// or https://' })
    .optional()
    .describe('Where slack, ntfy and webhook send. For ntfy it ends with the topic.'),
  token_env: variable
    .optional()
    .describe('For ntfy: the variable of the owner with the access token. Default: none.'),
  host: matching(/^[A-Za-z0-9.:-]{1,255}$/, 'the name of a mail server')
    .optional()
    .describe('For smtp: the mail server.'),
  port: whole(1, 65_535).optional().describe('For smtp. Default: 587, or 465 with secure.'),
  secure: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('For smtp: TLS from the start. Default: false, which uses STARTTLS.'),
  user: text(1, 320, 'text of up to 320 characters').optional().describe('For smtp: the login.'),
  password_env: variable
    .optional()
    .describe('For smtp: the variable of the owner with the password.'),
  from: address.optional().describe('For smtp: the sender.'),
  to: z
    .array(address, { error: 'a list of addresses' })
    .min(1, { error: 'a list of addresses' })
    .max(RECEIVERS_MAX, { error: `a list of up to ${RECEIVERS_MAX} addresses` })
    .optional()
    .describe('For smtp: the receivers.'),
  command: text(1, 8192, 'a command in one line')
    .refine((line) => (shellWords(line) ?? []).length > 0, { error: 'a command in one line' })
    .optional()
    .describe('For command: the line that is started, without a shell.'),
};
type Detail = keyof typeof details;

const Notifier = z
  .strictObject(
    {
      name: matching(
        /^[a-z][a-z0-9-]{0,62}$/,
        'a name of lowercase letters, digits and -',
      ).describe('The name of the notifier in records and messages; required.'),
      kind: z
        .enum(KINDS, { error: `one of ${KINDS.join(', ')}` })
        .describe('How it is delivered; required.'),
      events: z
        .array(z.enum(NOTIFIED_EVENTS, { error: `one of ${NOTIFIED_EVENTS.join(', ')}` }), {
          error: eventError,
        })
        .min(1, { error: eventError })
        .prefault([...NOTIFIED_EVENTS])
        .describe(
          'Which events it gets: approval, asks (other questions), ended, login, paused. Default: all.',
        ),
      ...details,
    },
    KEYS,
  )
  .superRefine((entry, context) => {
    const { needs, may } = KEYS_OF[entry.kind];
    for (const key of Object.keys(details) as Detail[]) {
      const isThere = entry[key] !== undefined;
      if (needs.includes(key) && !isThere)
        context.addIssue({ code: 'custom', message: `a key ${key}, which ${entry.kind} needs` });
      if (isThere && !needs.includes(key) && !may.includes(key))
        context.addIssue({
          ...{ code: 'custom', path: [key] },
          message: `no key ${key}: a notifier of the kind ${entry.kind} has none`,
        });
    }
    const isMail = entry.kind === 'smtp';
    if (isMail && (entry.user === undefined) !== (entry.password_env === undefined))
      context.addIssue({ code: 'custom', message: 'both user and password_env, or neither' });
  })
  .transform(({ name, events, ...written }) => ({ name, events, via: channelOf(written) }));

/** Where a notification goes. The check above requires the keys of each kind. */
export type NotifierChannel =
  | { readonly kind: 'slack' | 'webhook'; readonly url: string }
  | { readonly kind: 'ntfy'; readonly url: string; readonly tokenEnv: string | null }
  | { readonly kind: 'command'; readonly command: string }
  | {
      readonly kind: 'smtp';
      readonly host: string;
      readonly port: number;
      readonly secure: boolean;
      readonly login: { readonly user: string; readonly passwordEnv: string } | null;
      readonly from: string;
      readonly to: readonly string[];
    };

type WrittenChannel = z.output<z.ZodObject<typeof details>> & { readonly kind: Kind };

function channelOf(written: WrittenChannel): NotifierChannel {
  const { kind, url = '', secure = false, user, password_env: passwordEnv } = written;
  switch (kind) {
    case 'slack':
    case 'webhook':
      return { kind, url };
    case 'ntfy':
      return { kind, url, tokenEnv: written.token_env ?? null };
    case 'command':
      return { kind, command: written.command ?? '' };
    case 'smtp': {
      const { host = '', from = '', to = [], port = secure ? SMTP_TLS_PORT : SMTP_PORT } = written;
      const login = user === undefined || passwordEnv === undefined ? null : { user, passwordEnv };
      return { kind, host, port, secure, login, from, to };
    }
  }
}

export const Notifications = z.strictObject(
  {
    terminal: z
      .array(z.enum(TERMINAL_EVENTS, { error: `one of ${TERMINAL_EVENTS.join(', ')}` }), {
        error: `a list of: ${TERMINAL_EVENTS.join(', ')}`,
      })
      .prefault([...TERMINAL_EVENTS])
      .describe(
        'For which events a command that watches runs rings the bell of its terminal; questions also set its title. Default: all. [] turns it off.',
      ),
    notifiers: z
      .array(Notifier, { error: 'a list of notifiers' })
      .max(NOTIFIERS_MAX, { error: `a list of up to ${NOTIFIERS_MAX} notifiers` })
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
        error: 'a different name for each notifier',
      })
      .prefault([])
      .describe('Where events of all runs are sent. Default: nowhere.'),
  },
  KEYS,
);
