import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { DeclaredGrant } from './user-grants.ts';
import { resolveGrants } from './user-grants.ts';

const LINKS: Readonly<Record<string, string>> = {
  '/home/u/tools': '/home/u/.ssh',
  '/srv/project/.env.out': '/home/u/.netrc',
};
const ABSENT = new Set(['/home/u/none', '/srv/project/.env.none', '/home/u/.cargo/credentials']);

const grantPaths = {
  userHome: '/home/u',
  home: '/home/u/.supervisor',
  root: '/srv/project',
  realPath: (path: string) =>
    ABSENT.has(path) || path.includes('.cargo/cred') ? undefined : (LINKS[path] ?? path),
};

describe('an allowed grant', () => {
  const good: [grant: DeclaredGrant, expected: readonly object[]][] = [
    [
      { kind: 'toolchain', path: '~/.cargo' },
      [{ kind: 'mount-read-only', path: '/home/u/.cargo' }],
    ],
    [{ kind: 'toolchain', path: '/opt/sdk/' }, [{ kind: 'mount-read-only', path: '/opt/sdk' }]],
    [{ kind: 'toolchain', path: '~/none' }, []],
    [
      { kind: 'project-file', path: '.env.test' },
      [{ kind: 'copy', from: '/srv/project/.env.test', to: '.env.test' }],
    ],
    [{ kind: 'project-file', path: '.env.none' }, []],
    [
      { kind: 'git-identity', name: 'Ann', email: 'a@b.test' },
      [{ kind: 'git-identity', name: 'Ann', email: 'a@b.test' }],
    ],
  ];
  for (const [grant, expected] of good)
    test(JSON.stringify(grant), () =>
      assert.deepEqual(resolveGrants([grant], grantPaths), expected),
    );
});

describe('a refused grant', () => {
  const bad: DeclaredGrant[] = [
    ...[
      '/',
      '~',
      '/home',
      '/home/u/',
      '~/.ssh',
      '~/.ssh/id_rsa',
      '~/.aws',
      '~/.config',
      '~/.npmrc',
      '~/tools',
    ].map((path) => ({ kind: 'toolchain' as const, path })),
    ...[
      '/etc',
      '/proc/1',
      '/dev/sda',
      '/run',
      '/var/run/docker.sock',
      '/opt/x.sock',
      'relative',
      '~/.supervisor/x',
    ].map((path) => ({ kind: 'toolchain' as const, path })),
    ...['~/x/../.ssh', '/srv', '/srv/project', '~/.claude', '/opt/a\nb'].map((path) => ({
      kind: 'toolchain' as const,
      path,
    })),
    ...['../x', '/etc/passwd', '.git/config', '.env.out', ''].map((path) => ({
      kind: 'project-file' as const,
      path,
    })),
    { kind: 'git-identity', name: 'a\n[core]', email: 'x@y.test' },
    { kind: 'git-identity', name: '', email: 'x@y.test' },
  ];
  for (const grant of bad) {
    test(JSON.stringify(grant), () =>
      assert.throws(
        () => resolveGrants([grant], grantPaths),
        (error) => isRefusal(error, 'workspace.unsafe-grant'),
      ),
    );
  }
});
