import type { AllowedHost } from './connect-proxy.ts';
import { parseHostPort } from './host-port.ts';
import { networkReach } from './private-addresses.ts';

/** A tunnel to this host reaches public addresses only, unless the user's settings name it as a private host. */
export function allowedHost(
  text: string,
  privateHosts: readonly string[] = [],
): AllowedHost | undefined {
  const authority = parseHostPort(text);
  return authority && { ...authority, ...networkReach(authority.host, privateHosts) };
}
