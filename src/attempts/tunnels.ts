/** The hosts that an agent may reach besides its models: tunnels that its gateway opens to them and to nobody else. */
import type { Clock } from '../base/clock.ts';
import type { Network, ProxyFact } from '../gateway/connect-proxy.ts';
import { ConnectProxy } from '../gateway/connect-proxy.ts';
import type { Sighting } from '../protocol/deed.ts';
import { GATEWAY_PORT } from '../sandbox/policy.ts';
import { allowed } from './registries.ts';

export type TunnelPorts = { readonly clock: Clock; readonly network: Network };

/** `hosts` as in the settings: `name:port`. Null: nobody may be reached, which is no matter of a proxy. */
export async function openTunnels(
  hosts: readonly string[],
  { clock, network }: TunnelPorts,
  onSight: (sighting: Sighting) => void,
): Promise<ConnectProxy | null> {
  const allow = hosts.flatMap((host) => allowed(host) ?? []);
  if (allow.length === 0) return null;
  return ConnectProxy.start({
    listen: null, // they come in by the door of the gateway
    allow,
    network,
    clock,
    onFact: (fact) => {
      const host = hostIn(fact);
      if (host !== undefined) onSight({ kind: 'connect', host });
    },
  });
}

/** What tells programs inside of the way. What is to go to the gateway itself goes there directly. */
export function tunnelEnv(hosts: readonly string[]): Readonly<Record<string, string>> {
  if (hosts.length === 0) return {};
  const url = `http://127.0.0.1:${GATEWAY_PORT}`;
  return { https_proxy: url, HTTPS_PROXY: url, no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' };
}

/** Whether or not it got there. */
function hostIn(fact: ProxyFact): string | undefined {
  if (fact.kind === 'tunnel-closed') return undefined;
  return /^([\w.-]+|\[[\da-f:]+\]):\d+$/i.exec(fact.target)?.[1];
}
