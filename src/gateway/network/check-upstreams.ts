/**
 * Requires encrypted connections to providers, unless the key stays on this machine or the user's settings allow it.
 */
import { isIP } from 'node:net';
import { Refusal } from '../../base/errors.ts';
import { isLoopbackAddress, networkReach } from './private-addresses.ts';
import type { Upstreams } from './upstreams.ts';

export function checkUpstreams(upstreams: Upstreams, privateHosts: readonly string[]): void {
  for (const { base } of Object.values(upstreams)) {
    const url = URL.parse(base);
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
      throw insecure(
        base.slice(0, 8),
        'is not a valid provider address',
        'Use an address that begins with https://.',
      );
    if (url.protocol === 'https:') continue;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isLocal = isIP(host) === 0 ? host === 'localhost' : isLoopbackAddress(host);
    if (isLocal || networkReach(host, privateHosts).isPrivate === true) continue;
    throw insecure(
      url.origin,
      'would carry your key unencrypted',
      `Use https, or name ${host} in gateway.private_hosts of your own configuration.`,
    );
  }
}

function insecure(base: string, what: string, hint: string): Refusal {
  return new Refusal({
    code: 'gateway.insecure-upstream',
    message: `The provider address ${base} ${what}.`,
    hint,
  });
}
