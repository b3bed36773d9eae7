import assert from 'node:assert/strict';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { listFolder } from '../host/files/list-folder.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { trustProject } from '../../test/support/trust-project.ts';
import { listTrust, removeTrust } from './trust-store.ts';
import { readTrustState, TrustedProject } from './trusted-project.ts';

type Fixture = AsyncDisposable & {
  readonly home: string;
  readonly project: string;
  readonly inside: (...parts: readonly string[]) => string;
};

async function fixture(): Promise<Fixture> {
  const dir = await tempDir();
  const [home, project] = [join(dir.path, 'home'), join(dir.path, 'project')];
  const inside = (...parts: readonly string[]): string => join(project, '.supervisor', ...parts);
  await mkdir(home);
  await mkdir(inside('roles'), { recursive: true });
  await writeFile(inside('config.yaml'), 'version: 1\n');
  await writeFile(inside('roles/dev.yaml'), 'description: d\n');
  return { home, project, inside, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

const untrusted = (error: unknown): boolean => isRefusal(error, 'project.untrusted');
const disk = { read: readTextFile, list: listFolder };

describe("a project's own files", () => {
  test('are refused before they are trusted, with the command that trusts them', async () => {
    await using at = await fixture();
    const error = await TrustedProject.open(at).catch((thrown: unknown) => thrown);
    assert.ok(isRefusal(error, 'project.untrusted'));
    assert.match(error.data.hint ?? '', /supervisor trust \/\S+\/project /);
  });

  test('are used after they are trusted', async () => {
    await using at = await fixture();
    await trustProject(at.home, at.project);
    const files = (await TrustedProject.open(at)).over(disk);
    assert.equal(await files.read(at.inside('config.yaml'), 100), 'version: 1\n');
    assert.deepEqual(await files.list(at.inside('roles')), ['dev.yaml']);
    assert.equal(await files.read(at.inside('none.yaml'), 100), undefined);
  });

  test('stay trusted when reports of agents and messages to them are written', async () => {
    await using at = await fixture();
    await mkdir(at.inside('organization/roles'), { recursive: true });
    await trustProject(at.home, at.project);
    for (const records of ['organization/reports', 'organization/steering/coder']) {
      await mkdir(at.inside(records), { recursive: true });
      await writeFile(at.inside(records, '1.json'), '{}');
    }
    const files = (await TrustedProject.open(at)).over(disk);
    assert.equal(await files.read(at.inside('organization/reports/1.json'), 100), undefined);
    await writeFile(at.inside('organization/roles/coder.json'), '{}');
    await assert.rejects(TrustedProject.open(at), untrusted);
  });

  test('need no trust if the folder is absent or empty', async () => {
    await using at = await fixture();
    await rm(at.inside(), { recursive: true });
    assert.equal((await readTrustState(at)).kind, 'none');
    await mkdir(at.inside());
    assert.equal((await readTrustState(at)).kind, 'none');
    await TrustedProject.open(at);
  });

  test('are ignored if the user wants only their own settings', async () => {
    await using at = await fixture();
    const project = await TrustedProject.open({ ...at, untrusted: true });
    const files = project.over(disk);
    assert.equal(project.isLeftOut, true);
    assert.equal(await files.read(at.inside('config.yaml'), 100), undefined);
    assert.deepEqual(await files.list(at.inside('roles')), []);
  });

  const changes: [why: string, change: (at: Fixture) => Promise<unknown>][] = [
    ['is edited', (at) => writeFile(at.inside('config.yaml'), 'version: 1\nx-a: 1\n')],
    ['is edited and keeps its length', (at) => writeFile(at.inside('config.yaml'), 'version: 2\n')],
    ['is added', (at) => writeFile(at.inside('roles/new.yaml'), '')],
    ['is added as a hidden file', (at) => writeFile(at.inside('.x'), '')],
    ['is deleted', (at) => rm(at.inside('roles/dev.yaml'))],
    ['is renamed', (at) => rename(at.inside('roles/dev.yaml'), at.inside('roles/e.yaml'))],
    ['becomes executable', (at) => chmod(at.inside('config.yaml'), 0o755)],
    ['gets an empty folder beside it', (at) => mkdir(at.inside('templates'))],
    [
      'is replaced by a link to the same content',
      async (at) => {
        await rename(at.inside('config.yaml'), join(at.project, 'c.yaml'));
        await symlink('../c.yaml', at.inside('config.yaml'));
      },
    ],
    [
      'is in a folder that is replaced by a link',
      async (at) => {
        await rename(at.inside('roles'), join(at.project, 'roles'));
        await symlink('../roles', at.inside('roles'));
      },
    ],
  ];
  test('stay trusted in a checkout with another umask', async () => {
    await using at = await fixture();
    await trustProject(at.home, at.project);
    await chmod(at.inside('config.yaml'), 0o664);
    await chmod(at.inside('roles'), 0o775);
    assert.equal((await readTrustState(at)).kind, 'trusted');
  });

  for (const [why, change] of changes)
    test(`need new trust when one ${why}`, async () => {
      await using at = await fixture();
      await trustProject(at.home, at.project);
      await change(at);
      await assert.rejects(TrustedProject.open(at), untrusted);
      assert.equal((await readTrustState(at)).kind, 'changed');
    });

  test('need new trust when a link gets another target', async () => {
    await using at = await fixture();
    await symlink('a', at.inside('link'));
    await trustProject(at.home, at.project);
    await TrustedProject.open(at);
    await rm(at.inside('link'));
    await symlink('b', at.inside('link'));
    await assert.rejects(TrustedProject.open(at), untrusted);
  });

  test('are read from the checked bytes, even if the files change afterwards', async () => {
    await using at = await fixture();
    await trustProject(at.home, at.project);
    const files = (await TrustedProject.open(at)).over(disk);
    await writeFile(at.inside('config.yaml'), 'agents: []\n');
    await writeFile(at.inside('roles/evil.yaml'), 'x');
    assert.equal(await files.read(at.inside('config.yaml'), 100), 'version: 1\n');
    assert.deepEqual(await files.list(at.inside('roles')), ['dev.yaml']);
    assert.equal(await files.read(at.inside('roles/evil.yaml'), 100), undefined);
  });

  test('are never read through a link, even if the link is trusted', async () => {
    await using at = await fixture();
    await writeFile(join(at.project, 'c.yaml'), 'version: 1\n');
    await rm(at.inside('config.yaml'));
    await symlink('../c.yaml', at.inside('config.yaml'));
    await trustProject(at.home, at.project);
    const files = (await TrustedProject.open(at)).over(disk);
    await assert.rejects(files.read(at.inside('config.yaml'), 100), /symbolic link/);
  });

  test('are never read if the whole folder is a link', async () => {
    await using at = await fixture();
    await rename(at.inside(), join(at.project, 'elsewhere'));
    await symlink('elsewhere', at.inside());
    await assert.rejects(TrustedProject.open(at), untrusted);
    await trustProject(at.home, at.project);
    const files = (await TrustedProject.open(at)).over(disk);
    await assert.rejects(files.read(at.inside('config.yaml'), 100), /symbolic link/);
    await assert.rejects(files.list(at.inside('roles')), /symbolic link/);
  });

  test('belong to one project under all of its paths', async () => {
    await using at = await fixture();
    await trustProject(at.home, at.project);
    await symlink('project', join(at.project, '../link'));
    await TrustedProject.open({ home: at.home, project: join(at.project, '../link') });
  });

  test('are no longer used after the trust is revoked', async () => {
    await using at = await fixture();
    await trustProject(at.home, at.project);
    assert.equal(await removeTrust(at.home, at.project), true);
    assert.equal(await removeTrust(at.home, at.project), false);
    await assert.rejects(TrustedProject.open(at), untrusted);
  });

  test('are not trusted at another path', async () => {
    await using at = await fixture();
    await trustProject(at.home, at.project);
    const other = join(at.project, '../other');
    await rename(at.project, other);
    await assert.rejects(TrustedProject.open({ home: at.home, project: other }), untrusted);
  });
});

describe('the trust record', () => {
  test('is readable only by the user, and lists the projects', async () => {
    await using at = await fixture();
    await trustProject(at.home, at.project);
    const folder = join(at.home, 'trust');
    const [name = ''] = await readdir(folder);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
    assert.deepEqual(
      (await listTrust(at.home)).map(({ project }) => project),
      [at.project],
    );
  });

  test('is ignored if it is damaged or names another project', async () => {
    await using at = await fixture();
    await trustProject(at.home, at.project);
    const [name = ''] = await readdir(join(at.home, 'trust'));
    const file = join(at.home, 'trust', name);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, -10));
    await assert.rejects(TrustedProject.open(at), untrusted);
    await writeFile(file, text.replace(at.project, '/other'));
    await assert.rejects(TrustedProject.open(at), untrusted);
    await writeFile(file, text);
    await TrustedProject.open(at);
  });
});
