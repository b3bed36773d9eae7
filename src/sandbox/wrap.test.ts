import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import {
  sandboxFacts as facts,
  sandboxPlace as place,
} from '../../test/support/sandbox-facts-fixture.ts';
import type { Backend, SandboxPolicy } from './policy.ts';
import { AGENT_LIMITS, offlinePolicy } from './policy.ts';
import { WRAP } from './wrap.ts';
import type { Wrapped } from './wrapped.ts';

const plain = offlinePolicy('run/1', '/work', { ...AGENT_LIMITS, diskBytes: 512_000 });
const policy: SandboxPolicy = {
  ...plain,
  read: ['/opt/tools'],
  env: { TOKEN: 'hidden' },
  network: { kind: 'gateway', socket: '/run/g.sock', port: 3128 },
  image: 'debian:12',
};
const command = { argv: ['agent', '--go'], stdin: 'hello' };

function wrap(backend: Backend, changes: Partial<SandboxPolicy> = {}): Wrapped {
  return WRAP[backend]({ ...policy, ...changes }, command, facts, place);
}

function fileText({ files }: Wrapped, name: string): string {
  const data = files.find((file) => file.name === name)?.data;
  return typeof data === 'string' ? data : '';
}

describe('bubblewrap', () => {
  const wrapped = wrap('bubblewrap');
  const args = fileText(wrapped, 'args').split('\0');
  const argText = args.join(' ');

  test('is started with only the descriptor of its arguments', () => {
    const { argv } = wrapped;
    assert.deepEqual(
      [argv.slice(0, 4), argv.slice(5, 12)],
      [
        ['/usr/bin/bash', '--norc', '--noprofile', '-c'], // no start-up file of the user runs
        ['supervisor-sandbox', '--', '--', '/usr/bin/bwrap', '--args', '8', '--'],
      ],
    );
    assert.deepEqual(argv.slice(-3), ['supervisor-entry', 'agent', '--go']);
    assert.deepEqual(wrapped.env, { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' });
    assert.equal(wrapped.stdin, 'hello');
  });

  test('puts no variable into arguments, which other users can read', () => {
    assert.equal(wrapped.argv.join(' ').includes('hidden'), false);
    assert.match(argText, /--setenv TOKEN hidden/);
  });

  test('has namespaces of every kind, an ordinary user, no capability, and a filter', () => {
    for (const flag of [
      '--unshare-all --unshare-user --disable-userns --die-with-parent --new-session',
      '--uid 1000 --gid 1000 --hostname sandbox --cap-drop ALL --clearenv',
      '--seccomp 9',
    ])
      assert.ok(argText.includes(flag), flag);
  });

  test('lays out the system, then the memory, then the mounts, and closes the root last', () => {
    const order = [
      '--ro-bind /usr /usr',
      '--symlink usr/bin /bin',
      '--ro-bind /lib64 /lib64',
      '--ro-bind /etc/ssl/certs',
      '--proc /proc --ro-bind /proc/sys /proc/sys',
      '--tmpfs /tmp',
      '--tmpfs /home/agent',
      '--bind /work /work',
      '--ro-bind /opt/tools /opt/tools',
      '--ro-bind /run/g.sock /run/supervisor/gateway.sock',
      '--remount-ro / ',
      '--chdir /work',
    ];
    assert.deepEqual(
      order.map((part) => argText.indexOf(part)).toSorted((a, b) => a - b),
      order.map((part) => argText.indexOf(part)),
    );
    assert.equal(
      order.some((part) => !argText.includes(part)),
      false,
    );
  });

  test('started by root drops to another user, joins its cgroups, and makes mounts accessible', () => {
    const root = WRAP.bubblewrap(
      policy,
      command,
      { ...facts, uid: 0 },
      {
        ...place,
        user: { uid: 70_000, gid: 70_000 },
        joins: ['/cg/memory/x/cgroup.procs'],
        limited: ['memory'],
        stages: new Map([['/work', '/tmp/scratch/mount-0']]),
      },
    );
    const { argv } = root;
    assert.deepEqual(argv.slice(0, 8), [
      '/usr/bin/unshare',
      '--mount',
      '--propagation',
      'private',
      '/usr/bin/bash',
      '--norc',
      '--noprofile',
      '-c',
    ]);
    assert.deepEqual(argv.slice(9, 25), [
      'supervisor-sandbox',
      '/cg/memory/x/cgroup.procs',
      '--',
      '/work',
      '/tmp/scratch/mount-0',
      '--',
      '/usr/bin/setpriv',
      '--reuid',
      '70000',
      '--regid',
      '70000',
      '--clear-groups',
      '--no-new-privs',
      '--inh-caps=-all',
      '--bounding-set=-all',
      '/usr/bin/bwrap',
    ]);
    assert.match(
      fileText(root, 'args').replaceAll('\0', ' '),
      /--bind \/tmp\/scratch\/mount-0 \/work /,
    );
    assert.deepEqual(
      [root.enforced.memory, root.enforced.pids, root.enforced.cpus],
      ['cgroup', 'rlimit', 'none'],
    );
  });
});

describe('docker', () => {
  const wrapped = wrap('docker');
  const argText = wrapped.argv.join(' ');

  test('removes every privilege that it can', () => {
    for (const flag of [
      '--init --read-only --network none --hostname sandbox --log-driver none',
      '--user 1000:1000 --cap-drop ALL --security-opt no-new-privileges',
      '--memory 4000000000 --memory-swap 4000000000 --cpus 2 --pids-limit 512',
      '--name supervisor-sandbox-1 --label agent-supervisor=run/1 --interactive',
      '--mount type=bind,source=/work,target=/work ',
      '--mount type=bind,source=/opt/tools,target=/opt/tools,readonly',
      '--mount type=bind,source=/run/g.sock,target=/run/supervisor/gateway.sock,readonly',
      '--mount type=bind,source=/tmp/scratch/lifeline,target=/run/supervisor/lifeline,readonly',
      '--pull never',
    ])
      assert.ok(argText.includes(flag), flag);
    assert.match(argText, /--entrypoint {2}debian:12 \/bin\/sh -c /);
  });

  test('reads its environment from a file', () => {
    assert.equal(argText.includes('hidden'), false);
    assert.match(fileText(wrapped, 'env'), /^TOKEN=hidden$/m);
  });

  test('gets a variable with several lines from its client', () => {
    const many = wrap('docker', { env: { LINES: 'a\nb' } });
    assert.deepEqual([many.env['LINES'], fileText(many, 'env').includes('LINES')], ['a\nb', false]);
    assert.match(many.argv.join(' '), /--env LINES /);
    assert.throws(
      () => wrap('docker', { env: { HOME: 'a\nb' } }),
      (error) => isRefusal(error, 'sandbox.policy-refused'),
    );
  });
});

describe('podman', () => {
  test('is like docker, without what podman passes on by default', () => {
    const argText = wrap('podman').argv.join(' ');
    assert.match(
      argText,
      /^\/usr\/bin\/podman run .*--no-hosts --http-proxy=false .*--userns keep-id/s,
    );
  });
});

describe('seatbelt', () => {
  test('is a profile that first denies everything', () => {
    const { argv, enforced } = WRAP.seatbelt(
      { ...policy, home: '/keep' },
      command,
      { ...facts, platform: 'darwin' },
      place,
    );
    assert.deepEqual(argv.slice(0, 2), ['/usr/bin/sandbox-exec', '-p']);
    assert.equal(
      argv[2],
      `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* (subpath "/System") (subpath "/usr") (subpath "/bin") (subpath "/sbin") (subpath "/Library/Apple") (subpath "/private/etc/ssl") (subpath "/private/var/db/timezone") (subpath "/dev") (subpath "/work") (subpath "/opt/tools") (subpath "/tmp/scratch") (subpath "/opt/node/bin/node") (subpath "/keep") (subpath "/tmp/scratch/tmp"))
(allow file-write* (subpath "/work") (subpath "/keep") (subpath "/tmp/scratch/tmp") (literal "/dev/null"))
(allow network-bind network-inbound (local ip "localhost:3128"))
(allow network-outbound (remote ip "localhost:3128") (literal "/run/g.sock"))`,
    );
    assert.deepEqual(
      [enforced.files, enforced.memory, enforced.processes],
      ['profile', 'none', 'none'],
    );
  });

  test('cannot mount a path at another path', () => {
    const mounts = [{ from: '/a', to: '/b', mode: 'ro' }] as const;
    assert.throws(
      () => wrap('seatbelt', { mounts }),
      (error) => isRefusal(error, 'sandbox.policy-refused'),
    );
  });
});

describe('none', () => {
  test('needs an explicit flag', () => {
    assert.throws(
      () => wrap('none'),
      (error) => isRefusal(error, 'sandbox.unavailable'),
    );
    assert.deepEqual(wrap('none', { unsafe: true }).enforced.files, 'none');
  });
});

/** The script that runs inside before the command. */
function entryScriptFor(changes: Partial<SandboxPolicy>): string | undefined {
  return wrap('bubblewrap', changes).argv.at(-4);
}

describe('the entry script', () => {
  test('sets the limits that no cgroup sets, and execs the command', () => {
    assert.equal(
      entryScriptFor({ network: { kind: 'none' } }),
      `ulimit -c 0
ulimit -n 8192 2>/dev/null
ulimit -f 1000
ulimit -d 3906250 || { echo "supervisor: cannot limit memory" >&2; exit 125; }
{ ulimit -u 512 || ulimit -p 512; } 2>/dev/null || { echo "supervisor: cannot limit processes" >&2; exit 125; }
exec "$@"`,
    );
  });

  test('waits for the gateway connection before it does', () => {
    const script = entryScriptFor({}) ?? '';
    assert.match(
      script,
      /TCP4-LISTEN:3128,bind=127\.0\.0\.1.* UNIX-CONNECT:\/run\/supervisor\/gateway\.sock/,
    );
    assert.match(script, /0100007F:0C3800000000:00000A/);
  });
});
