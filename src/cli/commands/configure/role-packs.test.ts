import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { CommandOutput, InProcessCli } from '../../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import {
  PACK,
  ROLE,
  entriesOf,
  manifest,
  startPackRegistry,
  tarball,
} from '../../../../test/support/pack-fixture.ts';
import { RolePackDocument, RolesDocument } from '../../../public-json/project-documents.ts';

type Files = Readonly<Record<string, string>>;

async function writePack(cli: InProcessCli, files: Files, name = 'pack.tgz'): Promise<string> {
  const path = join(cli.project, name);
  await writeFile(path, await tarball(entriesOf(files)));
  return path;
}

async function fixture(files: Files = PACK) {
  const cli = await inProcessCli();
  const path = await writePack(cli, files);
  const role = (words: string, more: object = {}): Promise<CommandOutput> =>
    cli.say(['role', ...words.split(' ')], more);
  return { cli, path, role, [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose]() };
}

const installedFiles = (cli: InProcessCli): Promise<string[]> =>
  readdir(join(cli.dir, 'community', 'roles')).catch(() => []);

describe('supervisor role install', () => {
  test('changes nothing if another command has changed the packs since the preview', async () => {
    await using at = await fixture();
    const files = { ...PACK, 'pack.yaml': manifest('', { name: 'other-pack' }) };
    const other = await writePack(at.cli, files, 'other.tgz');
    const confirm = async (): Promise<boolean> => {
      const made = await at.role(`install ${other} --yes`);
      assert.equal(made.code, 0, made.err);
      return true;
    };
    const { err, code } = await at.role(`install ${at.path}`, { confirm });
    assert.notEqual(code, 0);
    assert.match(err, /Another command has changed the installed packs meanwhile/);
    const list = JSON.parse(await readFile(join(at.cli.dir, 'packs.json'), 'utf8')) as {
      packs: { name: string }[];
    };
    assert.deepEqual(
      list.packs.map(({ name }) => name),
      ['other-pack'],
    );
  });

  test('shows each command, asks, and installs nothing if the answer is no', async () => {
    await using at = await fixture();
    const asked: string[] = [];
    const confirm = async (question: string): Promise<boolean> => {
      asked.push(question);
      return false;
    };
    const { out, code } = await at.role(`install ${at.path}`, { confirm });
    assert.notEqual(code, 0);
    assert.match(out, /^keys-pack 1\.0\.0 {2}by Ada$/m);
    assert.match(out, /^pinned to sha512-\S{80,}$/m);
    assert.match(out, /roles\/key_finder\.yaml {2}gates\.0\.command: grep -rn KEY src/);
    assert.deepEqual(asked, ['Install this pack?']);
    assert.deepEqual(await installedFiles(at.cli), []);
    const unasked = await at.role(`install ${at.path}`);
    assert.deepEqual([unasked.code, /--yes/.test(unasked.err)], [2, true]);
  });

  test('lists the role with its pack, uses it, and removes it again', async () => {
    await using at = await fixture();
    const said = await at.role(`install ${at.path} --yes --json`);
    assert.equal(said.code, 0, said.err);
    const { state, packs } = RolePackDocument.parse(JSON.parse(said.out));
    assert.deepEqual([state, packs[0]?.commands.length], ['done', 1]);
    const list = await at.role('list --json');
    const { roles } = RolesDocument.parse(JSON.parse(list.out));
    const own = roles.find(({ name }) => name === 'key_finder');
    assert.deepEqual([own?.level, own?.pack], ['community', 'keys-pack@1.0.0']);
    assert.ok(roles.some(({ level }) => level === 'package'));
    assert.match((await at.role('show key_finder')).out, /Looks for keys in the code/);
    assert.match((await at.role(`install ${at.path} --yes`)).out, /installed already/);
    assert.equal((await at.role('remove keys-pack --yes')).code, 0);
    assert.deepEqual(await installedFiles(at.cli), []);
    assert.equal((await at.role('show key_finder')).code, 2);
    assert.equal((await at.role('remove keys-pack --yes')).code, 2);
  });

  test('uses only the content that the person saw', async () => {
    await using at = await fixture();
    await at.role(`install ${at.path} --yes`);
    const file = join(at.cli.dir, 'community', 'roles', 'key_finder.yaml');
    await writeFile(file, `${await readFile(file, 'utf8')}# later\n`);
    const shown = await at.role('show key_finder');
    assert.equal(shown.code, 1);
    assert.match(shown.err, /is not as it was installed/);
    // A file that was put beside it belongs to no pack.
    await writeFile(join(dirname(file), 'planted.yaml'), ROLE);
    assert.doesNotMatch((await at.role('list')).out, /planted/);
  });

  const refused: readonly [why: string, files: Files, message: RegExp][] = [
    [
      'a role that would hide a built-in one',
      { ...PACK, 'roles/reviewer.yaml': ROLE },
      /roles\/reviewer\.yaml .* Supervisor itself has/,
    ],
    [
      'a template that would hide a built-in one',
      { ...PACK, 'templates/_base.j2': 'obey\n' },
      /templates\/_base\.j2 .* Supervisor itself has/,
    ],
    [
      'the name of a built-in pack',
      { ...PACK, 'pack.yaml': manifest('', { name: 'frontend' }) },
      /belongs to a built-in pack/,
    ],
    [
      'an unknown key in a role',
      { ...PACK, 'roles/key_finder.yaml': `${ROLE}on_install: touch x\n` },
      /unknown key "on_install"/,
    ],
    [
      'a role that extends no role',
      { ...PACK, 'roles/key_finder.yaml': 'extends: nothing\n' },
      /nothing/,
    ],
    ['no author', { ...PACK, 'pack.yaml': 'name: a\nversion: 1.0.0\n' }, /author/],
    [
      'a range of versions',
      { ...PACK, 'pack.yaml': manifest('dependencies: {other: ^1.0.0}\n') },
      /one version, such as 1\.2\.0/,
    ],
    [
      'a parent that it does not depend on',
      { ...PACK, 'pack.yaml': manifest('extends: [other]\n') },
      /extends other, which is not among its dependencies/,
    ],
    ['nothing', { 'pack.yaml': manifest() }, /is empty/],
  ];
  for (const [why, files, message] of refused)
    test(`refuses a pack with ${why}`, async () => {
      await using at = await fixture(files);
      const { code, err } = await at.role(`install ${at.path} --yes`);
      assert.match(err, message);
      assert.notEqual(code, 0);
      assert.deepEqual(await installedFiles(at.cli), []);
    });

  test('refuses the role of another pack, and the same version with another content', async () => {
    await using at = await fixture();
    await at.role(`install ${at.path} --yes`);
    const other = { ...PACK, 'pack.yaml': manifest('', { name: 'other' }) };
    const path = await writePack(at.cli, other, 'other.tgz');
    assert.match((await at.role(`install ${path} --yes`)).err, /that the pack keys-pack has/);
    await writePack(at.cli, { ...PACK, 'roles/key_finder.yaml': `${ROLE}# changed\n` });
    const again = await at.role(`install ${at.path} --yes`);
    assert.match(again.err, /is not what you installed before\. It was sha512-/);
    assert.match((await at.role('show key_finder')).out, /Looks for keys/);
  });

  test('installs from npm with what the pack needs, and runs no script of it', async () => {
    await using registry = await startPackRegistry();
    await using at = await fixture();
    const ran = join(at.cli.project, 'ran');
    const scripts = Object.fromEntries(
      ['preinstall', 'install', 'postinstall', 'prepare', 'prepack'].map((name) => [
        name,
        `touch ${ran}`,
      ]),
    );
    const publish = async (name: string, files: Files, version = '1.0.0'): Promise<void> => {
      const about = JSON.stringify({ name, version, scripts });
      const all = entriesOf({ ...files, 'package.json': about });
      registry.archives.set(`${name}@${version}`, await tarball(all));
    };
    const needs = 'extends: [base-pack]\ndependencies: {base-pack: 1.0.0}\n';
    await publish('base-pack', {
      'pack.yaml': manifest('', { name: 'base-pack' }),
      'roles/base_finder.yaml': ROLE,
    });
    await publish('keys-pack', {
      'pack.yaml': manifest(needs),
      'roles/key_finder.yaml': 'extends: base_finder\ndescription: Looks for more keys.\n',
    });
    const env = {
      SUPERVISOR_HOME: at.cli.dir,
      PATH: process.env['PATH'],
      HOME: at.cli.project,
      npm_config_registry: registry.url,
      npm_config_cache: join(at.cli.project, 'cache'),
    };
    const made = await at.role('install keys-pack --yes', { env });
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, /^installed keys-pack 1\.0\.0\ninstalled base-pack 1\.0\.0$/m);
    assert.match((await at.role('show key_finder')).out, /grep -rn KEY src/);
    await assert.rejects(readFile(ran), { code: 'ENOENT' });
    const needed = await at.role('remove base-pack --yes');
    assert.match(needed.err, /is needed by keys-pack/);

    // The archive is not the one whose hash the registry names.
    await publish('broken-pack', { ...PACK, 'pack.yaml': manifest('', { name: 'broken-pack' }) });
    registry.claims.set('broken-pack@1.0.0', `sha512-${'A'.repeat(86)}==`);
    const broken = await at.role('install broken-pack --yes', { env });
    assert.deepEqual([broken.code, /EINTEGRITY/.test(broken.err)], [1, true], broken.err);
    await publish('named-pack', PACK);
    const named = await at.role('install named-pack@1.0.0 --yes', { env });
    assert.match(named.err, /contains the pack keys-pack 1\.0\.0/);
  });

  test('pins a repository by its commit, and refuses a tag that has moved', async () => {
    await using at = await fixture();
    const repository = join(at.cli.project, 'repository');
    await mkdir(join(repository, 'roles'), { recursive: true });
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        cwd: repository,
        encoding: 'utf8',
      });
    const commit = async (files: Files): Promise<string> => {
      for (const [path, text] of Object.entries(files))
        await writeFile(join(repository, path), text);
      git('add', '--all');
      git('commit', '--quiet', '-m', 'pack');
      git('tag', '--force', 'v1');
      return git('rev-parse', 'HEAD').trim();
    };
    git('init', '--quiet');
    const first = await commit(PACK);
    // As in a hook of another repository, which must stay as it is.
    const other = join(at.cli.project, 'other.git');
    execFileSync('git', ['init', '--quiet', '--bare', other]);
    const env = {
      ...{ SUPERVISOR_HOME: at.cli.dir, PATH: process.env['PATH'], HOME: at.cli.project },
      GIT_DIR: other,
    };
    const install = (ref: string): Promise<CommandOutput> =>
      at.role(`install git+file://${repository}#${ref} --yes`, { env });
    const made = await install('v1');
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, new RegExp(`^pinned to ${first}$`, 'm'));
    assert.ok(!(await readdir(other)).includes('FETCH_HEAD'));
    assert.match((await install('v1')).out, /installed already/);
    await commit({ 'roles/key_finder.yaml': `${ROLE}# moved\n` });
    const moved = await install('v1');
    assert.equal(moved.code, 2);
    assert.match(moved.err, new RegExp(`It was ${first.slice(0, 19)}`));
    // A link in a repository is refused as in an archive.
    execFileSync('ln', ['-s', '/etc/passwd', join(repository, 'roles', 'linked.yaml')]);
    git('add', '--all');
    git('commit', '--quiet', '-m', 'a link');
    assert.match((await install('HEAD')).err, /is a symlink/);
  });
});
