/**
 * Parses `host:port` as a CONNECT request names it. Only one spelling of each is accepted; everything else is
 * refused.
 */

export type HostPort = { readonly host: string; readonly port: number };

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`);
const NAME_CHARS_MAX = 253;

/** Undefined unless the text is exactly a plain ASCII host name and a port. */
export function parseHostPort(text: string): HostPort | undefined {
  const [, written = '', digits = ''] = /^([A-Za-z0-9.-]+):([1-9][0-9]{0,4})$/.exec(text) ?? [];
  const host = written.toLowerCase();
  const port = Number(digits);
  if (host.length > NAME_CHARS_MAX || !NAME.test(host) || port < 1 || port > 65_535)
    return undefined;
  // A last label of digits, or of hex digits after 0x, is an alternative spelling of an IP address.
  const last = host.split('.').at(-1) ?? '';
  return /^(?:\d+|0x[0-9a-f]*)$/.test(last) ? undefined : { host, port };
}
