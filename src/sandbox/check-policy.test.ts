import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isRefusal } from '../base/errors.ts';
import { checkPolicy } from './check-policy.ts';
import type { SandboxPolicy } from './policy.ts';
import { AGENT_LIMITS, GATEWAY_PORT, policyMounts, offlinePolicy } from './policy.ts';

const protectedPaths = {
  userDir: '/home/ada',
  stateDir: '/home/ada/.supervisor',
  shared: ['/home/ada/.supervisor/workspaces'],
};
const plain = offlinePolicy('run/attempt-1', '/home/ada/project', AGENT_LIMITS);

function fault(change: Partial<SandboxPolicy>): string | undefined {
  try {
    checkPolicy({ ...plain, ...change }, protectedPaths);
    return undefined;
  } catch (error) {
    assert.ok(isRefusal(error, 'sandbox.policy-refused'));
    return error.data.message.replace(/^This sandbox can't be allowed: (.*)\.$/s, '$1');
  }
}

describe('a policy is allowed', () => {
  const allowed: [why: string, change: Partial<SandboxPolicy>][] = [
    ['with one folder and no network', {}],
    ['with tools of the user', { read: ['/home/ada/.nvm/versions/node', '/opt/tools'] }],
    ['with a workspace inside our own state', { write: ['/home/ada/.supervisor/workspaces/1'] }],
    ['with a read-only part of a writable folder', { read: ['/home/ada/project/.git/hooks'] }],
    [
      'with a file that is read-only under both paths of its folder',
      {
        mounts: [
          { from: '/home/ada/project', to: '/project', mode: 'rw' },
          { from: '/home/ada/project/a.ts', to: '/home/ada/project/a.ts', mode: 'ro' },
          { from: '/home/ada/project/a.ts', to: '/project/a.ts', mode: 'ro' },
        ],
      },
    ],
    ['with a persistent home', { home: '/home/ada/.supervisor/workspaces/home-1' }],
    [
      'with a gateway',
      { network: { kind: 'gateway', socket: '/run/x/g.sock', port: GATEWAY_PORT } },
    ],
    ['with a folder at another path', { mounts: [{ from: '/data', to: '/models', mode: 'ro' }] }],
    [
      'without any limit',
      { limits: { ...AGENT_LIMITS, memoryBytes: null, cpus: null, pids: null } },
    ],
  ];
  for (const [why, change] of allowed) test(why, () => assert.equal(fault(change), undefined));
});

describe('a policy is refused', () => {
  const refused: [why: string, change: Partial<SandboxPolicy>, fault: RegExp][] = [
    [
      'with a relative path',
      { write: ['project'] },
      /the mounted path, "project", is not an absolute path/,
    ],
    ['with a path that contains ..', { read: ['/home/ada/../bob'] }, /not normalized/],
    ['with a path that ends in a slash', { read: ['/data/'] }, /not normalized/],
    [
      'with a path that no engine can express',
      { read: ['/data:rw'] },
      /contains a colon or a comma/,
    ],
    ['with a line end in a path', { read: ['/da\nta'] }, /contains a NUL or a line break/],
    ['with the whole machine to write', { write: ['/'] }, /would be the whole file system/],
    ['with the whole machine to read', { read: ['/'] }, /would be the whole file system/],
    [
      'over everything',
      { mounts: [{ from: '/data', to: '/', mode: 'ro' }] },
      /would be the whole file system/,
    ],
    ['with the home of the user', { write: ['/home/ada'] }, /is your whole home/],
    ['with keys', { read: ['/home/ada/.ssh'] }, /\.ssh contains your keys or logins/],
    ['with one key', { read: ['/home/ada/.ssh/id_ed25519'] }, /contains your keys or logins/],
    [
      'with the logins of a cloud',
      { read: ['/home/ada/.config/gcloud'] },
      /contains your keys or logins/,
    ],
    [
      'with the socket of docker',
      { read: ['/var/run/docker.sock'] },
      /gives more access than a sandbox may have/,
    ],
    ['with the socket of podman', { read: ['/run/podman/podman.sock'] }, /gives more access than/],
    [
      'with the socket of an SSH agent',
      { read: ['/tmp/ssh-x/agent.42'] },
      /gives more access than/,
    ],
    [
      'with our own state',
      { read: ['/home/ada/.supervisor/journal.db'] },
      /contains the state of Supervisor/,
    ],
    ['with a folder around our state', { read: ['/home/ada/.supervisor'] }, /contains the state/],
    ['with the kernel', { read: ['/proc/1'] }, /belongs to the kernel/],
    [
      'with another /dev',
      { mounts: [{ from: '/data', to: '/dev', mode: 'ro' }] },
      /belongs to the kernel/,
    ],
    [
      'with another /usr',
      { mounts: [{ from: '/data', to: '/usr', mode: 'ro' }] },
      /laid out by the sandbox/,
    ],
    [
      'over our own files in the sandbox',
      { mounts: [{ from: '/data', to: '/run/supervisor/x', mode: 'ro' }] },
      /laid out by the sandbox/,
    ],
    [
      'with the system to write',
      { write: ['/etc'] },
      /contains files that run automatically|belongs to the machine/,
    ],
    [
      'with two mounts at one path',
      {
        mounts: [
          { from: '/a', to: '/m', mode: 'ro' },
          { from: '/b', to: '/m', mode: 'ro' },
        ],
      },
      /both \/a \(ro\) and \/b \(ro\) are mounted at \/m/,
    ],
    [
      'with a folder both read-only and writable',
      { read: ['/home/ada/project'] },
      /both .* are mounted at \/home\/ada\/project/,
    ],
    [
      'with a writable path to a read-only folder',
      { read: ['/data/in'], mounts: [{ from: '/data', to: '/door', mode: 'rw' }] },
      /\/data\/in is read-only, but can be written to at \/door/,
    ],
    [
      'with HOME hidden',
      { mounts: [{ from: '/data', to: '/home', mode: 'ro' }] },
      /hides the HOME of the sandbox/,
    ],
    ['with no name', { id: '' }, /the id "" is not a valid name/],
    ['with a name that is an option', { id: '--privileged' }, /is not a valid name/],
    ['in no folder', { cwd: 'here' }, /the working folder, "here", is not an absolute path/],
    [
      'with a port that only root may open',
      { network: { kind: 'gateway', socket: '/s', port: 80 } },
      /80 is not a valid port/,
    ],
    [
      'with an invalid variable name',
      { env: { 'A B': '1' } },
      /"A B" is not a valid variable name/,
    ],
    ['with a NUL in a variable', { env: { A: '\0' } }, /the variable A contains a NUL/],
    [
      'with a negative limit',
      { limits: { ...AGENT_LIMITS, memoryBytes: -1 } },
      /memoryBytes cannot be -1/,
    ],
    ['with no number', { limits: { ...AGENT_LIMITS, cpus: Number.NaN } }, /cpus cannot be NaN/],
    ['with an image that is an option', { image: '--privileged' }, /is not a valid image name/],
  ];
  for (const [why, change, expected] of refused) {
    test(why, () => assert.match(fault(change) ?? 'nothing', expected));
  }

  test('with every fault in one message', () => {
    assert.match(fault({ cwd: 'here', env: { 'A B': '' } }) ?? '', /here.*; .*A B/);
  });

  test('with any path below a secret, however it is mounted', () => {
    const name = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);
    const secret = fc.constantFrom('.ssh', '.aws', '.gnupg', '.kube', '.docker', '.supervisor');
    fc.assert(
      fc.property(
        secret,
        fc.array(name, { maxLength: 4 }),
        fc.constantFrom('ro', 'rw'),
        (folder, parts, mode) => {
          const from = ['/home/ada', folder, ...parts].join('/');
          const isShared = from.startsWith('/home/ada/.supervisor/workspaces');
          assert.equal(fault({ mounts: [{ from, to: '/data', mode }] }) === undefined, isShared);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('mounts', () => {
  test('are sorted outermost first, so that inner ones stay visible', () => {
    const policy = { ...plain, read: ['/a/b/c', '/a'], write: ['/a/b'], home: '/h' };
    assert.deepEqual(
      policyMounts(policy).map(({ to, mode }) => `${to} ${mode}`),
      ['/a ro', '/home/agent rw', '/a/b rw', '/a/b/c ro'],
    );
  });
});
