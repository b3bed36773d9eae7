/**
 * The connection of a setup to its registries: a proxy that opens tunnels only to the hosts on its
 * list. It also provides the settings with which npm, pip and others inside find their registry and
 * trust the user's certificates.
 */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { ProxyNetwork as Wire, ProxyFact } from '../gateway/network/connect-proxy.ts';
import { ConnectProxy } from '../gateway/network/connect-proxy.ts';
import { writeOwnedFile } from '../host/files/tree/chown-tree.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import { newSocketPath } from '../execution/model-gateway/model-gateway.ts';
import type { ManagerPorts } from './package-managers.ts';
import { askPackageManagers } from './package-managers.ts';
import type { Registries } from './registries.ts';
import { parseNetwork, readRegistries } from './registries.ts';

export type RegistryProxy = AsyncDisposable & {
  /** Null where nothing may be reached. */
  readonly socket: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** What was asked of the proxy, each host once. */
  readonly seen: () => { readonly reached: readonly string[]; readonly refused: readonly string[] };
};

export type RegistryProxyPorts = ManagerPorts & {
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Wire;
  readonly socketDir: string;
  readonly homeId: string;
};

/** Variables that name a file of certificates. */
const CA_VARIABLES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'PIP_CERT',
];
const CA_BYTES_MAX = 5_000_000;
const SEEN_MAX = 20;
const NONE: Registries = {
  hosts: [],
  npmrc: [],
  pipConf: [],
  goEnv: {},
  cafile: null,
  cert: null,
  unreachable: [],
};

/** `home` is the setup's own, and `homeInside` where it sees it. */
export async function openRegistryProxy(
  entries: readonly string[],
  { home, homeInside }: { readonly home: string; readonly homeInside: string },
  ports: RegistryProxyPorts,
): Promise<RegistryProxy> {
  const request = parseNetwork(entries);
  const found = request.asksRegistries ? readRegistries(await askPackageManagers(ports)) : NONE;
  const allow = [...request.hosts, ...found.hosts];
  const files = await writeRegistryFiles(found, home, homeInside, ports.ownerEnv);
  const env = { ...found.goEnv, ...files };
  const [reached, refused] = [
    new Set<string>(),
    new Set(found.unreachable.map((host) => `${host} (no https)`)),
  ];
  const seen: RegistryProxy['seen'] = () => ({ reached: [...reached], refused: [...refused] });
  if (allow.length === 0) return { socket: null, env, seen, [Symbol.asyncDispose]: async () => {} };
  const socket = newSocketPath(ports);
  const proxy = await ConnectProxy.start({
    // As for a model gateway: its folder is closed to everybody.
    listen: { socket, mode: 0o666 },
    allow,
    network: ports.network,
    clock: ports.clock,
    onFact: (fact: ProxyFact) => {
      if (fact.kind === 'tunnel-opened' && reached.size < SEEN_MAX) reached.add(fact.target);
      if (fact.kind === 'tunnel-refused' && refused.size < SEEN_MAX)
        refused.add(`${fact.target} (${fact.why})`);
    },
  });
  return { socket, env, seen, [Symbol.asyncDispose]: () => proxy.close() };
}

/** Copies certificates into the setup's home: their own path may be missing or another file in the sandbox. */
async function writeRegistryFiles(
  { npmrc, pipConf, cafile, cert }: Registries,
  home: string,
  homeInside: string,
  ownerEnv: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
  const copied = new Map<string, string>();
  const copyCertificate = async (path: string | null | undefined): Promise<string | undefined> => {
    if (path === null || path === undefined || path === '') return undefined;
    const before = copied.get(path);
    if (before !== undefined) return before;
    const read = await readSmallFile(path, CA_BYTES_MAX);
    if (read.kind !== 'text' || !read.text.includes('BEGIN CERTIFICATE')) return undefined;
    const name = `.certificates/${copied.size + 1}.pem`;
    await writeOwnedFile(home, name, read.text);
    copied.set(path, `${homeInside}/${name}`);
    return `${homeInside}/${name}`;
  };
  const [npmCa, pipCa] = [await copyCertificate(cafile), await copyCertificate(cert)];
  const npmLines = [...npmrc, ...(npmCa === undefined ? [] : [`cafile=${npmCa}`])];
  if (npmLines.length > 0) await writeOwnedFile(home, '.npmrc', `${npmLines.join('\n')}\n`);
  const pipLines = [
    ...(pipConf.length === 0 && pipCa !== undefined ? ['[global]'] : pipConf),
    ...(pipCa === undefined ? [] : [`cert = ${pipCa}`]),
  ];
  if (pipLines.length > 0)
    await writeOwnedFile(home, '.config/pip/pip.conf', `${pipLines.join('\n')}\n`);
  const env: Record<string, string> = {};
  for (const name of CA_VARIABLES) {
    const path = await copyCertificate(ownerEnv[name]);
    if (path !== undefined) env[name] = path;
  }
  return env;
}
