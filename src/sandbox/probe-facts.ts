import { findCgroups } from '../host/process/cgroup.ts';
import { thisMachine } from '../host/machine/machine.ts';
import { existing, readSystemDirs } from '../host/files/system-dirs.ts';
import { which } from '../host/process/which.ts';
import type { SandboxFacts } from './sandbox-facts.ts';
import { SANDBOX_TOOLS } from './sandbox-facts.ts';

/** The entries of /etc that programs need. They are listed one by one, because there are secrets beside them. */
const ETC = [
  'alternatives',
  'ca-certificates',
  'crypto-policies',
  'fonts',
  'gai.conf',
  'host.conf',
  'java',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'magic',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'pki/tls/certs',
  'pki/ca-trust',
  'protocols',
  'python3',
  'services',
  'shells',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
].map((name) => `/etc/${name}`);

/** The variables by which a client finds its engine and its own settings. */
const ENGINE_VARIABLES = [
  'HOME',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_CERT_PATH',
  'DOCKER_TLS_VERIFY',
  'CONTAINER_HOST',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
];
/**
 * Tools are searched in the system folders only, because PATH may point anywhere. Engines are searched in PATH too.
 */
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** Inspects this machine. Starts nothing and changes nothing. */
export function probeFacts(env: Readonly<Record<string, string | undefined>>): SandboxFacts {
  const { platform, node, uid = -1 } = thisMachine();
  const tools = SANDBOX_TOOLS.flatMap((tool) => {
    const isEngine = tool === 'docker' || tool === 'podman';
    const path = isEngine ? `${SYSTEM_PATH}:/usr/local/bin:${env['PATH'] ?? ''}` : SYSTEM_PATH;
    const found = which(tool, { PATH: path });
    return found === undefined ? [] : [[tool, found] as const];
  });
  const engineEnv = ENGINE_VARIABLES.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    platform,
    arch: process.arch,
    uid,
    gid: process.getegid?.() ?? -1,
    tools: Object.fromEntries(tools),
    rootFolders: readSystemDirs(),
    etc: existing(ETC),
    cgroup: findCgroups(),
    node: node.path,
    engineEnv: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...Object.fromEntries(engineEnv),
    },
  };
}
