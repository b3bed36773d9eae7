import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharingObjection, secretPaths } from './secret-paths.ts';

const LINKS: ReadonlyMap<string, string> = new Map([
  ['/home/ada', '/data/ada'],
  ['/home/ada/.ssh', '/vault/keys'],
  ['/data/ada/.ssh', '/vault/keys'],
  ['/srv/notes', '/data/ada/.aws'],
]);
const ABSENT = /\.cargo\/cred|\.config\/(?!gcloud|fish)/;
const places = {
  userDir: '/home/ada',
  realPath: (path: string) => (ABSENT.test(path) ? undefined : (LINKS.get(path) ?? path)),
};
const why = (path: string, mode: 'ro' | 'rw') => sharingObjection(path, mode, secretPaths(places));

describe('a secret is never mounted, not even read-only', () => {
  for (const path of [
    '/home/ada',
    '/home',
    '/',
    '/home/ada/.ssh',
    '/home/ada/.ssh/id_ed25519',
    '/home/ada/.claude',
    '/home/ada/.codex/auth.json',
    '/home/ada/.gemini',
    '/home/ada/.copilot',
    '/home/ada/.npmrc',
    '/home/ada/.git-credentials',
    '/home/ada/.netrc',
    '/home/ada/.docker/config.json',
    '/home/ada/.kube',
    '/home/ada/.config/gcloud',
    '/home/ada/.config',
    '/home/ada/.mozilla/firefox',
    '/home/ada/.bash_history',
    '/home/ada/.local/share/keyrings',
    '/etc/shadow',
    '/proc/1',
    '/var/lib',
  ])
    test(path, () => {
      assert.notEqual(why(path, 'ro'), undefined);
      assert.notEqual(why(path, 'rw'), undefined);
    });
});

describe('a file that runs automatically is never mounted writable', () => {
  for (const path of [
    '/home/ada/.bashrc',
    '/home/ada/.profile',
    '/home/ada/.zshrc',
    '/home/ada/.bash_profile',
    '/home/ada/.config/fish',
    '/home/ada/bin',
    '/home/ada/bin/ls',
    '/home/ada/.local/bin',
    '/home/ada/.local',
    '/home/ada/.gitconfig',
    '/home/ada/.config/systemd/user',
    '/home/ada/.config/autostart/x.desktop',
    '/home/ada/.cargo',
    '/etc/cron.d',
    '/usr/local/bin',
    '/var/spool/cron/crontabs',
  ])
    test(path, () => {
      assert.notEqual(why(path, 'rw'), undefined);
      if (!path.endsWith('.local')) assert.equal(why(path, 'ro'), undefined);
    });
});

describe('other paths may be mounted', () => {
  for (const path of ['/home/ada/models', '/opt/sdk', '/home/ada/.cache/pip', '/srv/data'])
    test(path, () => {
      assert.equal(why(path, 'rw'), undefined);
      assert.equal(why(path, 'ro'), undefined);
    });
  test('a folder whose secret does not exist, read-only but not writable', () => {
    assert.equal(why('/home/ada/.cargo', 'ro'), undefined);
    assert.match(why('/home/ada/.cargo', 'rw') ?? '', /\.cargo/);
  });
  test('a CLI that is installed beside its login', () => {
    assert.equal(why('/home/ada/.claude/local/node_modules', 'ro'), undefined);
  });
});

describe('links', () => {
  const hidden: [why: string, path: string][] = [
    ['a link to a secret', '/srv/notes'],
    ['the target of a link to a secret', '/vault/keys/id_rsa'],
    ['a folder that contains such a target', '/vault'],
    ['the home by its real path', '/data/ada'],
    ['a folder that contains the real home', '/data'],
    ['a secret in the real home', '/data/ada/.gnupg'],
    ['a path with ..', '/home/ada/models/../.aws'],
  ];
  for (const [what, path] of hidden)
    test(`${what} is refused`, () => assert.notEqual(why(path, 'ro'), undefined));
});
