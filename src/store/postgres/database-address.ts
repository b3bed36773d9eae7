/** Where a PostgreSQL database is. The password is used for the connection alone and is in no text. */
import { Refusal } from '../../base/errors.ts';

export type DatabaseAddress = {
  /** What the driver gets, with the password. It must not be printed or stored. */
  readonly url: string;
  /** The PostgreSQL schema with the tables of the journal. Each schema is a journal of its own. */
  readonly schema: string;
  /** Host, port and database, for people. */
  readonly text: string;
  /** What `databaseAddress` reads this address from again. With the password, if it has one. */
  readonly named: string;
  readonly hasPassword: boolean;
};

const DEFAULT_SCHEMA = 'supervisor';
const DEFAULT_PORT = '5432';
const PROTOCOLS = ['postgres:', 'postgresql:'];
/** An identifier that needs no quotes in SQL. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,39}$/;

/** The address in a URL. A refusal does not repeat the URL, because a password may stand in it. */
export function databaseAddress(url: string): DatabaseAddress {
  const parsed = parseUrl(url);
  if (parsed === undefined || !PROTOCOLS.includes(parsed.protocol))
    throw invalid('The address of the database is not a URL of PostgreSQL.');
  const schema = parsed.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  if (!SCHEMA_NAME.test(schema))
    throw invalid(
      `The schema ${JSON.stringify(schema)} in the address of the database has other characters than a-z, 0-9 and _, or more than 40.`,
    );
  const database = decode(parsed.pathname.slice(1));
  if (database === '') throw invalid('The address of the database names no database.');
  const host = parsed.searchParams.get('host') ?? decode(parsed.hostname);
  const port = parsed.searchParams.get('port') ?? (parsed.port || DEFAULT_PORT);
  const place = host.startsWith('/') || host === '' ? host : `${host}:${port}`;
  const ownSchema = schema === DEFAULT_SCHEMA ? '' : `, schema ${schema}`;
  const text = `database ${database} on ${place === '' ? 'this machine' : place}${ownSchema}`;
  const hasPassword = parsed.password !== '' || parsed.searchParams.has('password');
  parsed.searchParams.set('schema', schema);
  const named = hrefOf(parsed);
  parsed.searchParams.delete('schema'); // the driver would pass it to the server
  return { url: hrefOf(parsed), schema, text, named, hasPassword };
}

function hrefOf(parsed: URL): string {
  return parsed.href.replace(`@${NO_HOST}/`, '@/');
}

/** A URL for a socket in the file system has a user and no host, which the parser does not accept. */
const NO_HOST = 'no-host.invalid';

function parseUrl(url: string): URL | undefined {
  try {
    const parsed = new URL(url.trim().replace('@/', `@${NO_HOST}/`));
    if (parsed.hostname === NO_HOST && !parsed.searchParams.has('host'))
      parsed.searchParams.set('host', '');
    return parsed;
  } catch {
    return undefined; // the error of the parser repeats the URL
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalid(message: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message,
    hint: 'Write it as: postgres://user@host:5432/database',
  });
}
