import type { Probe } from './probe.ts';
import { perl } from './probe.ts';

function connect(family: 'tcp' | 'unix' | 'abstract', address: string, port = ''): string {
  switch (family) {
    case 'tcp':
      return perl(
        `use IO::Socket::IP; exit(IO::Socket::IP->new(PeerHost => ${address}, PeerPort => ${port}, Timeout => 3) ? 0 : 1)`,
      );
    case 'unix':
      return perl(`use IO::Socket::UNIX; exit(IO::Socket::UNIX->new(Peer => ${address}) ? 0 : 1)`);
    case 'abstract':
      return perl(
        `use IO::Socket::UNIX; exit(IO::Socket::UNIX->new(Peer => "\\0" . ${address}) ? 0 : 1)`,
      );
  }
}

const PORT = '$ENV{P_PORT}';
/** An image may have any of these programs. If it has none, an existing route already counts as a breach. */
const ANY_PROGRAM = `if command -v perl >/dev/null; then ${connect('tcp', '"127.0.0.1"', PORT)}
elif command -v node >/dev/null; then exec node -e 'require("net").connect(process.env.P_PORT, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(1))'
elif command -v bash >/dev/null; then exec bash -c ': <"/dev/tcp/127.0.0.1/$P_PORT"'
elif command -v nc >/dev/null; then exec nc -z 127.0.0.1 "$P_PORT"
else tail -n +2 /proc/net/route | grep -q .; fi`;

export const SECRET_PROBES: readonly Probe[] = [
  {
    id: 'read-secret',
    area: 'secrets',
    tries: 'read a secret in a file of the host',
    script: 'cat "$P_SECRET"',
    expect: 'refused',
    unsandboxed: 'works',
    canary: true,
  },
  {
    id: 'read-shadow',
    area: 'secrets',
    tries: 'read the passwords of the system',
    script: 'grep -q : /etc/shadow',
    expect: 'refused',
    unsandboxed: 'varies',
    canary: true,
  },
  {
    id: 'read-environment',
    area: 'secrets',
    tries: 'read a secret from the environment of another process',
    script: `tr '\\0' '\\n' <"/proc/$P_VICTIM/environ" | grep -q CANARY`,
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'read-any-environment',
    area: 'secrets',
    tries: 'find a secret in the environment of any process that it sees',
    script: `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep CANARY`,
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'read-arguments',
    area: 'secrets',
    tries: 'find a secret in the arguments of any process that it sees',
    script: `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep '^canary-'`,
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'search-everywhere',
    area: 'secrets',
    tries: 'find a secret anywhere that it can read',
    script:
      'grep -rls "canary-secret-[0-9a-f]" /tmp /home /root /run /var /opt /mnt /srv "$P_WORK" "$HOME" 2>/dev/null | grep -v "^$P_WORK/probes/"',
    expect: 'refused',
    unsandboxed: 'unsafe',
  },
  {
    id: 'engine-sockets',
    area: 'secrets',
    tries: 'find the socket of a container engine, a message bus or an SSH agent',
    script:
      'for socket in /run/docker.sock /var/run/docker.sock /run/containerd/containerd.sock /run/podman/podman.sock /run/dbus/system_bus_socket /tmp/.X11-unix/X0 "$P_SOCKET"; do [ -S "$socket" ] && exit 0; done; exit 1',
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'foreign-variables',
    area: 'secrets',
    tries: 'find a variable that its policy does not name',
    script:
      'env | grep -Eq "^(SSH_|AWS_|GITHUB_|ANTHROPIC_|OPENAI_|GEMINI_|DOCKER_|DBUS_|npm_|CANARY)"',
    expect: 'refused',
    unsandboxed: 'varies',
  },
];

export const NETWORK_PROBES: readonly Probe[] = [
  {
    id: 'reach-listener',
    area: 'network',
    tries: 'reach a listener of the host with any available program',
    script: ANY_PROGRAM,
    expect: 'refused',
    unsandboxed: 'works',
    canary: true,
  },
  tcp('reach-loopback', 'reach a listener on 127.0.0.1', '"127.0.0.1"'),
  tcp('reach-loopback-2', 'reach a listener on 127.0.0.2', '"127.0.0.2"'),
  tcp('reach-loopback-3', 'reach a listener on 127.0.0.3', '"127.0.0.3"'),
  tcp('reach-loopback-6', 'reach a listener on ::1', '"::1"'),
  tcp('reach-mapped', 'reach a listener on ::ffff:127.0.0.1', '"::ffff:127.0.0.1"'),
  tcp('reach-name', 'reach a listener by the name localhost', '"localhost"'),
  {
    id: 'reach-datagram',
    area: 'network',
    tries: 'get an answer to a datagram',
    script: perl(
      `use IO::Socket::IP; my $s = IO::Socket::IP->new(Proto => "udp", PeerHost => "127.0.0.1", PeerPort => $ENV{P_DATAGRAM_PORT}) or exit 1; alarm 3; syswrite($s, "probe"); my $heard = ""; sysread($s, $heard, 16); exit($heard eq "heard" ? 0 : 1)`,
    ),
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'reach-abstract',
    area: 'network',
    tries: 'reach an abstract socket of the host',
    script: connect('abstract', '$ENV{P_ABSTRACT}'),
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'reach-socket',
    area: 'network',
    tries: 'reach a socket in a folder of the host',
    script: connect('unix', '$ENV{P_SOCKET}'),
    expect: 'refused',
    unsandboxed: 'works',
  },
  {
    id: 'reach-metadata',
    area: 'network',
    tries: 'reach the metadata address of a cloud',
    script: connect('tcp', '"169.254.169.254"', '80'),
    expect: 'refused',
    unsandboxed: 'unsafe',
  },
  {
    id: 'resolve-name',
    area: 'network',
    tries: 'resolve a name',
    script: perl('exit(gethostbyname("canary.example.com") ? 0 : 1)'),
    expect: 'refused',
    unsandboxed: 'unsafe',
  },
  {
    id: 'see-interfaces',
    area: 'network',
    tries: 'see a network interface besides its own loopback',
    script:
      'tail -n +3 /proc/net/dev | grep -Ev "^ *lo:" | grep -v ": *0 *0 *0 *0 *0 *0 *0 *0 *0 *0 "',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'have-route',
    area: 'network',
    tries: 'find a way out of its own loopback',
    script: 'tail -n +2 /proc/net/route | grep -q .',
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'raw-socket',
    area: 'network',
    tries: 'open a raw socket',
    script: perl('socket(my $s, 2, 3, 1) ? exit 0 : exit 1'),
    expect: 'refused',
    unsandboxed: 'varies',
  },
  {
    id: 'packet-socket',
    area: 'network',
    tries: 'open a socket that receives every packet',
    script: perl('socket(my $s, 17, 3, 768) ? exit 0 : exit 1'),
    expect: 'refused',
    unsandboxed: 'varies',
  },
];

function tcp(id: string, tries: string, address: string): Probe {
  return {
    id,
    area: 'network',
    tries,
    script: connect('tcp', address, PORT),
    expect: 'refused',
    unsandboxed: 'works',
  };
}
