import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isRefusal } from '../base/errors.ts';
import { checkPolicy } from './check-policy.ts';
import type { SandboxPolicy } from './policy.ts';
import { AGENT_LIMITS, GATEWAY_PORT, policyMounts, offlinePolicy } from './policy.ts';

const precious = {
  userDir: '/home/ada',
  stateDir: '/home/ada/.supervisor',
  shared: ['/home/ada/.supervisor/workspaces'],
};
const plain = offlinePolicy('run/attempt-1', '/home/ada/project', AGENT_LIMITS);

function fault(change: Partial<SandboxPolicy>): string | undefined {
  try {
    checkPolicy({ ...plain, ...change }, precious);
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
    ['with a workspace among our own state', { write: ['/home/ada/.supervisor/workspaces/1'] }],
    ['with a read-only part of a writable folder', { read: ['/home/ada/project/.git/hooks'] }],
    ['with a kept home', { home: '/home/ada/.supervisor/workspaces/home-1' }],
    [
      'with a gateway',
      { network: { kind: 'gateway', socket: '/run/x/g.sock', port: GATEWAY_PORT } },
    ],
    ['with a folder at another place', { mounts: [{ from: '/data', to: '/models', mode: 'ro' }] }],
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
      /what is mounted, "project", is no absolute path/,
    ],
    ['with a path that climbs', { read: ['/home/ada/../bob'] }, /not written plainly/],
    ['with a path that ends in a slash', { read: ['/data/'] }, /not written plainly/],
    ['with a path that no engine can be told', { read: ['/data:rw'] }, /holds a colon or a comma/],
    ['with a line end in a path', { read: ['/da\nta'] }, /holds a NUL or a line end/],
    ['with the whole machine to write', { write: ['/'] }, /everything at once/],
    ['with the whole machine to read', { read: ['/'] }, /everything at once/],
    ['over everything', { mounts: [{ from: '/data', to: '/', mode: 'ro' }] }, /everything at once/],
    ['with the home of the user', { write: ['/home/ada'] }, /is your whole home/],
    ['with keys', { read: ['/home/ada/.ssh'] }, /\.ssh holds keys or logins of yours/],
    ['with one key', { read: ['/home/ada/.ssh/id_ed25519'] }, /holds keys or logins of yours/],
    ['with the logins of a cloud', { read: ['/home/ada/.config/gcloud'] }, /holds keys or logins/],
    [
      'with the socket of docker',
      { read: ['/var/run/docker.sock'] },
      /opens more than a sandbox may have/,
    ],
    ['with the socket of podman', { read: ['/run/podman/podman.sock'] }, /opens more than/],
    ['with an agent of keys', { read: ['/tmp/ssh-x/agent.42'] }, /opens more than/],
    [
      'with our own state',
      { read: ['/home/ada/.supervisor/journal.db'] },
      /holds the state of Supervisor/,
    ],
    ['with a folder around our state', { read: ['/home/ada/.supervisor'] }, /holds the state/],
    ['with the kernel', { read: ['/proc/1'] }, /is the kernel's/],
    [
      'with another /dev',
      { mounts: [{ from: '/data', to: '/dev', mode: 'ro' }] },
      /is the kernel's/,
    ],
    [
      'with another /usr',
      { mounts: [{ from: '/data', to: '/usr', mode: 'ro' }] },
      /laid out by the sandbox/,
    ],
    [
      'over a program of ours',
      { mounts: [{ from: '/data', to: '/run/supervisor/x', mode: 'ro' }] },
      /laid out by the sandbox/,
    ],
    [
      'with the system to write',
      { write: ['/etc'] },
      /can change what runs by itself|belongs to the machine/,
    ],
    [
      'with two things at one place',
      {
        mounts: [
          { from: '/a', to: '/m', mode: 'ro' },
          { from: '/b', to: '/m', mode: 'ro' },
        ],
      },
      /both \/a \(ro\) and \/b \(ro\) are mounted at \/m/,
    ],
    [
      'with a folder both ways',
      { read: ['/home/ada/project'] },
      /both .* are mounted at \/home\/ada\/project/,
    ],
    [
      'with a back door to what is read-only',
      { read: ['/data/in'], mounts: [{ from: '/data', to: '/door', mode: 'rw' }] },
      /\/data\/in is read-only, but can be written to at \/door/,
    ],
    [
      'with HOME hidden',
      { mounts: [{ from: '/data', to: '/home', mode: 'ro' }] },
      /hides the HOME of the sandbox/,
    ],
    ['with no name', { id: '' }, /the id "" is no name/],
    ['with a name that is an option', { id: '--privileged' }, /is no name/],
    ['in no folder', { cwd: 'here' }, /the working folder, "here", is no absolute path/],
    [
      'with a port that only root may open',
      { network: { kind: 'gateway', socket: '/s', port: 80 } },
      /80 is no port/,
    ],
    ['with a variable that is none', { env: { 'A B': '1' } }, /"A B" is no name of a variable/],
    ['with a NUL in a variable', { env: { A: '\0' } }, /the variable A holds a NUL/],
    [
      'with less than nothing',
      { limits: { ...AGENT_LIMITS, memoryBytes: -1 } },
      /memoryBytes can't be -1/,
    ],
    ['with no number', { limits: { ...AGENT_LIMITS, cpus: Number.NaN } }, /cpus can't be NaN/],
    ['with an image that is an option', { image: '--privileged' }, /is no name of an image/],
  ];
  for (const [why, change, expected] of refused) {
    test(why, () => assert.match(fault(change) ?? 'nothing', expected));
  }

  test('with every fault in one message', () => {
    assert.match(fault({ cwd: 'here', env: { 'A B': '' } }) ?? '', /here.*; .*A B/);
  });

  test('whatever lies below a secret, and however it is mounted', () => {
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
  test('are laid widest first, so that the inner ones are seen', () => {
    const policy = { ...plain, read: ['/a/b/c', '/a'], write: ['/a/b'], home: '/h' };
    assert.deepEqual(
      policyMounts(policy).map(({ to, mode }) => `${to} ${mode}`),
      ['/a ro', '/home/agent rw', '/a/b rw', '/a/b/c ro'],
    );
  });
});
