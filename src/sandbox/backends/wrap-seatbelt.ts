/**
 * A policy as a profile for macOS's own sandbox-exec. Experimental: it bounds files and network, but
 * there are no namespaces, so other processes are seen, and memory and processes have no limit
 * for the whole. The way to the gateway is a port of the host's own loopback.
 */
import { groupArgs } from '../group-args.ts';
import type { MountLayout, SandboxFacts } from '../sandbox-facts.ts';
import { runUnsandboxed } from '../run-unsandboxed.ts';
import type { SandboxPolicy } from '../policy.ts';
import { policyMounts } from '../policy.ts';
import { Refusal } from '../../base/errors.ts';
import type { InnerCommand, Wrapped } from '../wrapped.ts';

/** What programs need of the system in order to start at all. */
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
  place: MountLayout,
): Wrapped {
  const moved = policy.mounts.find(({ from, to }) => from !== to);
  if (moved !== undefined) {
    throw new Refusal({
      code: 'sandbox.policy-refused',
      message: `Seatbelt can't show ${moved.from} at another place, ${moved.to}.`,
      hint: 'Use docker or podman for this policy, or mount it at its own path.',
    });
  }
  const wrapped = runUnsandboxed(policy, command, place);
  const home = policy.home ?? `${place.scratch}/home`;
  const tmp = `${place.scratch}/tmp`;
  return {
    backend: 'seatbelt',
    ...wrapped,
    argv: [
      ...groupArgs(facts.tools['sandbox-exec'] ?? '/usr/bin/sandbox-exec', '-p'),
      seatbeltProfile(policy, [home, tmp], [place.scratch, facts.node]),
      ...wrapped.argv,
    ],
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', TMPDIR: tmp, ...wrapped.env },
    enforced: { ...wrapped.enforced, files: 'profile', network: 'profile' },
  };
}

/** The last rule that matches counts, so it begins with no and says yes to each thing by name. */
function seatbeltProfile(
  policy: SandboxPolicy,
  alsoWritten: readonly string[],
  alsoRead: readonly string[],
): string {
  const mounts = policyMounts({ ...policy, home: null });
  const written = [
    ...mounts.filter(({ mode }) => mode === 'rw').map(({ from }) => from),
    ...alsoWritten,
  ];
  const read = [...SYSTEM, ...mounts.map(({ from }) => from), ...alsoRead, ...alsoWritten];
  const { network } = policy;
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec)',
    '(allow process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow file-read-metadata)',
    `(allow file-read* ${read.map(subpath).join(' ')})`,
    `(allow file-write* ${written.map(subpath).join(' ')} (literal "/dev/null"))`,
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
