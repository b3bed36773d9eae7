/**
 * The hosts that an agent may reach besides its models: its gateway opens tunnels to these only.
 */
import type { AllowedHost } from '../../gateway/network/connect-proxy.ts';
import type { AgentActivity } from '../../protocol/activity.ts';
import { GATEWAY_PORT } from '../../sandbox/policy.ts';
import { allowedHost } from '../../gateway/network/allowed-host.ts';

/** `hosts` as in the settings: `name:port`. */
export function tunnelHosts(
  hosts: readonly string[],
  privateHosts: readonly string[],
): readonly AllowedHost[] {
  return hosts.flatMap((host) => allowedHost(host, privateHosts) ?? []);
}

/** Environment variables that make programs use the tunnel, except for calls to the gateway itself. */
export function tunnelEnv(hosts: readonly string[]): Readonly<Record<string, string>> {
  if (hosts.length === 0) return {};
  const url = `http://127.0.0.1:${GATEWAY_PORT}`;
  return { https_proxy: url, HTTPS_PROXY: url, no_proxy: '127.0.0.1', NO_PROXY: '127.0.0.1' };
}

/** The host that the agent tried to reach, whether or not the gateway allowed it. */
export function tunnelActivity({ target }: { readonly target: string }): readonly AgentActivity[] {
  const [, host] = /^([\w.-]+|\[[\da-f:]+\]):\d+$/i.exec(target) ?? [];
  return host === undefined ? [] : [{ kind: 'connect', host }];
}
