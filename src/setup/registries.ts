/**
 * The registries of this machine's package managers, as the managers report them. They decide which
 * hosts a setup may reach, and which settings npm, pip and Go inside need, because they do not see the
 * user's home. Only names and addresses: a login in a URL is left out, and tokens are not read.
 */
import { isRecord, parseJson } from '../base/json.ts';
import { Refusal } from '../base/errors.ts';
import type { AllowedHost } from '../gateway/network/connect-proxy.ts';
import { allowedHost } from '../gateway/network/allowed-host.ts';

/** What the package managers said when they were asked; undefined for one that is not there. */
export type RegistryAnswer = {
  /** `npm config list --json`. */
  readonly npm?: string;
  /** `pip config list`. */
  readonly pip?: string;
  /** Where pip looks when it is told nothing: the index, and the host of its files, a line each. */
  readonly pipDefault?: string;
  /** `go env GOPROXY GOSUMDB`, a line each. */
  readonly go?: string;
};

export type Registries = {
  readonly hosts: readonly AllowedHost[];
  /** Lines for `.npmrc` and for `pip.conf` in the setup's own home. */
  readonly npmrc: readonly string[];
  readonly pipConf: readonly string[];
  /** Variables for Go, which reads no file of the setup's own home. */
  readonly goEnv: Readonly<Record<string, string>>;
  /** Files with certificates of the user's, by who needs them. */
  readonly cafile: string | null;
  readonly cert: string | null;
  /** Registries that are no https, so that no tunnel leads to them. */
  readonly unreachable: readonly string[];
};

export function readRegistries(answers: RegistryAnswer): Registries {
  const npm = parseJson(answers.npm ?? '');
  const npmConfig = isRecord(npm) ? npm : {};
  const npmRegistries = Object.entries(npmConfig).flatMap(([name, value]) =>
    (name === 'registry' || /^@[\w.~-]+:registry$/.test(name)) && typeof value === 'string'
      ? [[name, value] as const]
      : [],
  );
  const pip = pipConfig(answers.pip ?? '');
  const [defaultIndex = '', filesHost = ''] = (answers.pipDefault ?? '').trim().split(/\s+/);
  const index = pip.get('index-url') ?? defaultIndex;
  const extra = (pip.get('extra-index-url') ?? '').split(/\s+/).filter((url) => url !== '');
  const go = goConfig(answers.go ?? '');
  const registries = [
    ...npmRegistries.map(([name, url]) => ({ name, url: parseRegistryUrl(url) })),
    ...[index, ...extra]
      .filter((url) => url !== '')
      .map((url) => ({ name: 'pip', url: parseRegistryUrl(url) })),
    ...go.proxies.map((url) => ({ name: 'go', url: parseRegistryUrl(url) })),
  ];
  const reachable = registries.flatMap(({ name, url }) =>
    url?.protocol === 'https:' ? [{ name, url }] : [],
  );
  const usesDefault = pip.get('index-url') === undefined && filesHost !== '';
  const authorities = [
    ...reachable.map(({ url }) => `${url.hostname}:${url.port === '' ? 443 : url.port}`),
    ...(usesDefault ? [`${filesHost}:443`] : []),
    ...(go.checksumHost === '' ? [] : [`${go.checksumHost}:443`]),
  ];
  const goUrls = reachable.filter(({ name }) => name === 'go').map(({ url }) => url.href);
  const pipUrls = reachable.filter(({ name }) => name === 'pip').map(({ url }) => url.href);
  return {
    hosts: [...new Set(authorities)].flatMap((text) => registryHost(text) ?? []),
    npmrc: reachable.flatMap(({ name, url }) =>
      ['pip', 'go'].includes(name) ? [] : [`${name}=${url.href}`],
    ),
    pipConf: pipUrls.length === 0 ? [] : pipLines(pipUrls, index, answers.pip !== undefined),
    goEnv: goUrls.length === 0 ? {} : { GOPROXY: goUrls.join(','), GOSUMDB: go.checksums },
    cafile: textOrNull(npmConfig['cafile']),
    cert: pip.get('cert') ?? null,
    unreachable: registries.flatMap(({ url }) =>
      url !== undefined && url.protocol === 'http:' ? [url.host] : [],
    ),
  };
}

function pipLines(urls: readonly string[], index: string, hasPip: boolean): readonly string[] {
  if (!hasPip) return [];
  const first = parseRegistryUrl(index)?.href;
  const rest = urls.filter((url) => url !== first);
  return [
    '[global]',
    ...(first !== undefined && urls.includes(first) ? [`index-url = ${first}`] : []),
    ...(rest.length === 0 ? [] : [`extra-index-url = ${rest.join(' ')}`]),
  ];
}

/** `global.index-url='https://…'`, one a line; of two lines with one name the last holds. */
function pipConfig(text: string): ReadonlyMap<string, string> {
  const config = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^[\w:-]*\.([a-z-]+)='(.*)'$/.exec(line.trim()) ?? [];
    if (name !== undefined && value !== undefined) config.set(name, value);
  }
  return config;
}

type GoConfig = {
  readonly proxies: readonly string[];
  /** The database of checksums as Go names it, `off` if there is none, and its host. */
  readonly checksums: string;
  readonly checksumHost: string;
};

/** `direct` leads to any host on the internet, so it is left out. */
function goConfig(text: string): GoConfig {
  const [proxies = '', checksums = ''] = text.split('\n').map((line) => line.trim());
  const [name = '', url = ''] = checksums.split(/\s+/);
  const [host = ''] = name.split('+');
  return {
    proxies: proxies.split(/[,|]/).filter((one) => one.includes('://')),
    checksums: checksums === '' ? 'off' : checksums,
    checksumHost:
      host === 'off' ? '' : url === '' ? host : (parseRegistryUrl(url)?.hostname ?? host),
  };
}

function parseRegistryUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  [url.username, url.password] = ['', ''];
  return url;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A registry that the user's own npm or pip is set to: it often lies in the user's own network. */
function registryHost(text: string): AllowedHost | undefined {
  const host = allowedHost(text);
  return host?.isLoopback === true ? host : host && { ...host, isPrivate: true };
}

export type NetworkRequest = {
  readonly asksRegistries: boolean;
  readonly hosts: readonly AllowedHost[];
};

/** `setup.network`: `registry`, or hosts with or without a port. */
export function parseNetwork(entries: readonly string[]): NetworkRequest {
  const hosts = entries
    .filter((entry) => entry !== 'registry')
    .map((entry) => {
      const host = allowedHost(entry.includes(':') ? entry : `${entry}:443`);
      if (host !== undefined) return host;
      throw new Refusal({
        code: 'setup.unavailable',
        message: `setup.network names ${JSON.stringify(entry)}, which is no host by its name.`,
        hint: 'Write registry, or a name with or without a port, such as packages.example:443.',
      });
    });
  return { asksRegistries: entries.includes('registry'), hosts };
}
