import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import type { PreflightScript } from '../settings/sandbox-config.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { trustProject } from '../../test/support/trust-project.ts';
import { TrustedProject } from '../trust/trusted-project.ts';
import { loadSettings } from './load-settings.ts';

/** Creates a user and a trusted project with `.supervisor/pre.sh`, `tools/own.sh` and a link to the outside. `since` changes it after the trust. */
async function pinned(
  scripts: { readonly user?: string; readonly project?: string },
  { text = 'echo trusted\n', untrusted = false, since = async (_project: string) => {} } = {},
): Promise<readonly PreflightScript[]> {
  await using dir = await tempDir();
  const [home, path] = [join(dir.path, 'home'), join(dir.path, 'project')];
  for (const folder of [home, join(path, '.supervisor'), join(path, 'tools')])
    await mkdir(folder, { recursive: true });
  const list = (paths = ''): string => `sandbox: {preflight: [${paths}]}\n`;
  await writeFile(join(home, 'config.yaml'), list(scripts.user));
  await writeFile(join(path, '.supervisor/config.yaml'), list(scripts.project));
  await writeFile(join(path, '.supervisor/pre.sh'), text);
  await writeFile(join(path, 'tools/own.sh'), 'echo own\n');
  await writeFile(join(dir.path, 'secret'), 'key\n');
  await symlink(join(dir.path, 'secret'), join(path, 'tools/link.sh'));
  await trustProject(home, path);
  const project = await TrustedProject.open({ home, project: path, untrusted });
  await since(path);
  const { settings } = await loadSettings({
    home,
    project,
    userDir: dir.path,
    readFile: readTextFile,
  });
  return settings.sandbox.preflight.map((script) =>
    typeof script === 'string' ? script.replace(dir.path, '~') : script,
  );
}

describe('preflight scripts', () => {
  test('of the project are the trusted bytes, even if the file changes later', async () => {
    const since = (path: string): Promise<void> =>
      writeFile(join(path, '.supervisor/pre.sh'), 'echo changed\n');
    assert.deepEqual(await pinned({ project: './.supervisor/pre.sh' }, { since }), [
      { name: './.supervisor/pre.sh', text: 'echo trusted\n' },
    ]);
  });

  test("of the user come first: ./ is the project, other paths are the user's own files", async () => {
    const user = '~/bin/x.sh, ./tools/own.sh, ./tools/../.supervisor/pre.sh';
    assert.deepEqual(await pinned({ user, project: './.supervisor/pre.sh' }), [
      '~/bin/x.sh',
      { name: './tools/own.sh', text: 'echo own\n' },
      { name: './tools/../.supervisor/pre.sh', text: 'echo trusted\n' },
      { name: './.supervisor/pre.sh', text: 'echo trusted\n' },
    ]);
  });

  const refused: readonly (readonly [
    why: string,
    scripts: Parameters<typeof pinned>[0],
    message: RegExp,
    more?: Parameters<typeof pinned>[1],
  ])[] = [
    [
      'that do not exist',
      { project: './.supervisor/gone.sh' },
      /project\/\.supervisor\/config\.yaml:1:\d+.*sandbox\.preflight\[0\]: there is no file "\.\/\.supervisor\/gone\.sh" in the project/,
    ],
    ['that are folders', { user: './tools' }, /home\/config\.yaml:1:.*cannot be read: .*EISDIR/],
    ['behind a link out of the project', { user: './tools/link.sh' }, /is outside the project/],
    ['above the project', { user: './../secret' }, /is outside the project/],
    [
      'that are too long',
      { project: './.supervisor/pre.sh' },
      /has more than 32000 bytes/,
      { text: 'x'.repeat(32_001) },
    ],
    [
      'that are not text',
      { project: './.supervisor/pre.sh' },
      /is not UTF-8 text/,
      { text: 'a\0b' },
    ],
    [
      'of a folder that is not trusted',
      { user: './.supervisor/pre.sh' },
      /is ignored, because the files of the project are not trusted/,
      { untrusted: true },
    ],
  ];
  for (const [why, scripts, message, more] of refused)
    test(`${why} are refused`, async () => {
      const error = await pinned(scripts, more).catch((thrown: unknown) => thrown);
      assert.ok(isRefusal(error, 'config.invalid'), String(error));
      assert.match(error.message, message);
    });
});
