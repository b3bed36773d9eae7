/**
 * The first program inside the sandbox: a few lines of POSIX sh that set limits, start the bridge to our socket, and
 * then exec the command. The script contains only numbers and fixed paths.
 */
import type { SandboxPolicy } from './policy.ts';
import { OURS_INSIDE } from './policy.ts';

export const SOCKET_INSIDE = `${OURS_INSIDE}/gateway.sock`;
export const BRIDGE_INSIDE = `${OURS_INSIDE}/bridge.cjs`;
export const NODE_INSIDE = `${OURS_INSIDE}/node`;
export const LIFELINE_INSIDE = `${OURS_INSIDE}/lifeline`;

/** The exit code if the entry script itself fails. */
const ENTRY_FAILED = 125;

export type EntryOptions = {
  /** Limits to set for each process. Null if the backend sets them. */
  readonly rlimits: { readonly memory: boolean; readonly pids: boolean } | null;
  /**
   * Whether to watch the lifeline: a pipe whose other end only the owner holds. When it breaks, the owner is dead.
   */
  readonly lifeline: boolean;
  /** The paths of the socket and the bridge inside the sandbox. */
  readonly socket: string;
  readonly bridge: string;
};

const OPEN_FILES_MAX = 8192;

/** The command to run inside instead of the original one. */
export function entryArgv(
  policy: SandboxPolicy,
  command: readonly string[],
  options: EntryOptions,
): readonly string[] {
  return ['/bin/sh', '-c', entryScript(policy, options), 'supervisor-entry', ...command];
}

function entryScript({ network, limits }: SandboxPolicy, options: EntryOptions): string {
  const { rlimits, lifeline } = options;
  const lines: string[] = [];
  if (lifeline)
    lines.push(`(read -r _ <${LIFELINE_INSIDE}; kill -KILL -1) </dev/null >/dev/null 2>&1 &`);
  if (network.kind !== 'none') lines.push(bridge(network.port, options));
  if (rlimits !== null) {
    lines.push('ulimit -c 0', `ulimit -n ${OPEN_FILES_MAX} 2>/dev/null`);
    // A limit in blocks of 512 bytes for each file. The sum of all files is watched separately.
    if (limits.diskBytes !== null) lines.push(`ulimit -f ${Math.ceil(limits.diskBytes / 512)}`);
    if (rlimits.memory && limits.memoryBytes !== null)
      lines.push(must(`ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`, 'limit memory'));
    // dash and busybox use -p where bash uses -u.
    if (rlimits.pids && limits.pids !== null)
      lines.push(
        must(
          `{ ulimit -u ${limits.pids} || ulimit -p ${limits.pids}; } 2>/dev/null`,
          'limit processes',
        ),
      );
  }
  return [...lines, 'exec "$@"'].join('\n');
}

/** socat starts ten times faster than Node. The command waits until one of them listens. */
function bridge(port: number, { socket, bridge: program }: EntryOptions): string {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const quiet = '</dev/null >/dev/null 2>&1 &';
  return `if command -v socat >/dev/null 2>&1; then
  socat -t 600 TCP4-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork,backlog=128 UNIX-CONNECT:${socket} ${quiet}
else
  node=$(command -v node) || node=${NODE_INSIDE}
  NODE_OPTIONS= "$node" ${program} ${port} ${socket} ${quiet}
fi
listens() { [ -r /proc/net/tcp ] || { nc -z 127.0.0.1 ${port}; return; }; while read -r _ at to state _; do [ "$at$to$state" = 0100007F:${hex}00000000:00000A ] && return; done </proc/net/tcp; return 1; }
tries=0
until listens; do
  tries=$((tries + 1))
  ${must('[ "$tries" -lt 3000 ]', 'connect to the gateway: the image needs socat or node')}
  sleep 0.002
done`;
}

function must(command: string, what: string): string {
  return `${command} || { echo "supervisor: cannot ${what}" >&2; exit ${ENTRY_FAILED}; }`;
}

/** For images without socat. It is old-style JavaScript, because the Node inside may be of any version. */
export const BRIDGE_PROGRAM = `'use strict';
const net = require('net');
const [, , port, socket] = process.argv;
const server = net.createServer({ allowHalfOpen: true }, (inner) => {
  const outer = net.connect({ path: socket, allowHalfOpen: true });
  const end = () => { inner.destroy(); outer.destroy(); };
  inner.on('error', end).pipe(outer);
  outer.on('error', end).pipe(inner);
});
server.listen(Number(port), '127.0.0.1', 128);
`;

/** The proxy variables for programs inside, if the policy provides a proxy. */
export function networkEnv({ network }: SandboxPolicy): Readonly<Record<string, string>> {
  if (network.kind !== 'allowlist') return {};
  const url = `http://127.0.0.1:${network.port}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  return Object.fromEntries(
    names.flatMap((name) => [name, name.toUpperCase()].map((n) => [n, url])),
  );
}
