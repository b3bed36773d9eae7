/**
 * Turns a policy into a profile for the sandbox-exec of macOS. Experimental: it bounds files and network, but there
 * are no namespaces. So other processes are visible, and memory and process count have no common limit. The command
 * reaches the gateway through a port of the host's own loopback.
 */
import { groupArgs } from '../group-args.ts';
import type { MountLayout, SandboxFacts } from '../sandbox-facts.ts';
import { runUnsandboxed } from '../run-unsandboxed.ts';
import type { SandboxPolicy } from '../policy.ts';
import { policyMounts } from '../policy.ts';
import { Refusal } from '../../base/errors.ts';
import type { InnerCommand, Wrapped } from '../wrapped.ts';

/** The parts of the system that programs need in order to start. */
const SYSTEM = [
  '/System',
  '/usr',
  '/bin',
  '/sbin',
  '/Library/Apple',
  '/private/etc/ssl',
  '/private/var/db/timezone',
  '/dev',
];

export function wrapSeatbelt(
  policy: SandboxPolicy,
  command: InnerCommand,
  facts: SandboxFacts,
  layout: MountLayout,
): Wrapped {
  const moved = policy.mounts.find(({ from, to }) => from !== to);
  if (moved !== undefined) {
    throw new Refusal({
      code: 'sandbox.policy-refused',
      message: `Seatbelt cannot mount ${moved.from} at another path, ${moved.to}.`,
      hint: 'Use docker or podman for this policy, or mount it at its own path.',
    });
  }
  const wrapped = runUnsandboxed(policy, command, layout);
  const home = policy.home ?? `${layout.scratch}/home`;
  const tmp = `${layout.scratch}/tmp`;
  return {
    backend: 'seatbelt',
    ...wrapped,
    argv: [
      ...groupArgs(facts.tools['sandbox-exec'] ?? '/usr/bin/sandbox-exec', '-p'),
      seatbeltProfile(policy, [home, tmp], [layout.scratch, facts.node]),
      ...wrapped.argv,
    ],
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', TMPDIR: tmp, ...wrapped.env },
    enforced: { ...wrapped.enforced, files: 'profile', network: 'profile' },
  };
}

/** The last matching rule counts, so the profile first denies everything and then allows each thing by name. */
function seatbeltProfile(
  policy: SandboxPolicy,
  extraWritable: readonly string[],
  extraReadable: readonly string[],
): string {
  const mounts = policyMounts({ ...policy, home: null });
  const writable = [
    ...mounts.filter(({ mode }) => mode === 'rw').map(({ from }) => from),
    ...extraWritable,
  ];
  const readable = [
    ...SYSTEM,
    ...mounts.map(({ from }) => from),
    ...extraReadable,
    ...extraWritable,
  ];
  const { network } = policy;
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec)',
    '(allow process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow file-read-metadata)',
    `(allow file-read* ${readable.map(subpath).join(' ')})`,
    `(allow file-write* ${writable.map(subpath).join(' ')} (literal "/dev/null"))`,
    ...(network.kind === 'none'
      ? []
      : [
          `(allow network-bind network-inbound (local ip "localhost:${network.port}"))`,
          `(allow network-outbound (remote ip "localhost:${network.port}") (literal ${quoted(network.socket)}))`,
        ]),
  ].join('\n');
}

function subpath(path: string): string {
  return `(subpath ${quoted(path)})`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
}
