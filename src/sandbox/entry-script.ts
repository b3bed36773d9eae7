/**
 * The first thing that runs inside: a few lines of POSIX sh that set limits, open the way to our
 * socket, and then become the command. Its text is made of numbers and fixed paths alone.
 */
import type { SandboxPolicy } from './policy.ts';
import { OURS_INSIDE } from './policy.ts';

export const SOCKET_INSIDE = `${OURS_INSIDE}/gateway.sock`;
export const BRIDGE_INSIDE = `${OURS_INSIDE}/bridge.cjs`;
export const NODE_INSIDE = `${OURS_INSIDE}/node`;
export const LIFELINE_INSIDE = `${OURS_INSIDE}/lifeline`;

/** The code with which it ends when it can't do its part. */
const ENTRY_FAILED = 125;

export type EntryOptions = {
  /** Set limits for each process; null where the backend does it. */
  readonly rlimits: { readonly memory: boolean; readonly pids: boolean } | null;
  /** A pipe whose other end only we have: when it breaks, we are dead. */
  readonly lifeline: boolean;
  /** Where the socket and the bridge are seen from inside. */
  readonly socket: string;
  readonly bridge: string;
};

const OPEN_FILES_MAX = 8192;

/** What to run inside instead of the command itself. */
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
    // A limit in blocks of 512 bytes, on each file; together they are watched.
    if (limits.diskBytes !== null) lines.push(`ulimit -f ${Math.ceil(limits.diskBytes / 512)}`);
    if (rlimits.memory && limits.memoryBytes !== null)
      lines.push(must(`ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`, 'limit memory'));
    // dash and busybox say -p what bash says -u.
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

/** socat starts in a tenth of the time that Node takes; the command waits until one of them listens. */
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
  ${must('[ "$tries" -lt 3000 ]', 'open the way to the gateway: it takes socat or node')}
  sleep 0.002
done`;
}

function must(command: string, what: string): string {
  return `${command} || { echo "supervisor: can not ${what}" >&2; exit ${ENTRY_FAILED}; }`;
}

/** For images without socat. Plain old JavaScript: the Node inside may be anybody's. */
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

/** The variables by which programs find their proxy, for a policy that gives them one. */
export function networkEnv({ network }: SandboxPolicy): Readonly<Record<string, string>> {
  if (network.kind !== 'allowlist') return {};
  const url = `http://127.0.0.1:${network.port}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  return Object.fromEntries(
    names.flatMap((name) => [name, name.toUpperCase()].map((n) => [n, url])),
  );
}
