/** `host:port` as a CONNECT names it: one way to write each, and everything else is refused. */

export type HostPort = { readonly host: string; readonly port: number };

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`);
const NAME_CHARS_MAX = 253;

/** Undefined unless it is a plain host name in ASCII and a port, with nothing before, between or after. */
export function parseHostPort(text: string): HostPort | undefined {
  const [, written = '', digits = ''] = /^([A-Za-z0-9.-]+):([1-9][0-9]{0,4})$/.exec(text) ?? [];
  const host = written.toLowerCase();
  const port = Number(digits);
  if (host.length > NAME_CHARS_MAX || !NAME.test(host) || port < 1 || port > 65_535)
    return undefined;
  // A last label of digits, or of hex digits after 0x, is an address in one of its disguises.
  const last = host.split('.').at(-1) ?? '';
  return /^(?:\d+|0x[0-9a-f]*)$/.test(last) ? undefined : { host, port };
}
