import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { unwrapNpx } from './npx.ts';

/** A package below `root`, with one program of that name. */
async function install(root: string, name: string, version: string, program: string) {
  const folder = join(root, 'node_modules', name);
  const bin = join(root, 'node_modules/.bin');
  await mkdir(folder, { recursive: true });
  await mkdir(bin, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version }));
  await writeFile(join(folder, 'cli.js'), '#!/usr/bin/env node\n', { mode: 0o755 });
  await symlink(join(folder, 'cli.js'), join(bin, program));
  return join(bin, program);
}

async function scene(dir: string) {
  const root = await realpath(dir);
  const cached = await install(join(root, 'home/.npm/_npx/0a1b'), '@some/tool', '1.2.3', 'tool');
  const odd = await install(join(root, 'home/.npm/_npx/2c3d'), 'odd', '1.0.0', 'another-name');
  const global = await install(join(root, 'global'), 'wide', '2.0.0', 'wide');
  const project = join(root, 'project');
  await install(project, 'own', '1.0.0', 'own');
  const env = { HOME: join(root, 'home'), PATH: join(root, 'global/node_modules/.bin') };
  return { cached, odd, global, project, env };
}

describe('npx', () => {
  const cases: [why: string, line: string, expected: string][] = [
    ['in its cache', 'npx @some/tool -m x', 'CACHED -m x'],
    ['with switches', 'npx -y --quiet @some/tool@latest run -y', 'CACHED run -y'],
    ['in the right version', 'npx @some/tool@1.2.3', 'CACHED'],
    ['named apart from its package', 'npx -p @some/tool tool --json', 'CACHED --json'],
    ['as npm exec', 'npm exec --yes @some/tool -- --json', 'CACHED --json'],
    ['as npm x with a package', 'npm x --package=@some/tool -- tool a', 'CACHED a'],
    ['whose program has another name', 'npx odd', 'ODD'],
    ['that is installed', 'npx wide go', 'GLOBAL go'],
    ['that is installed in that version', 'npx wide@2.0.0 go', 'GLOBAL go'],
    ['of the project', 'npx own', 'npx own'],
    ['for a shell line', "npx -c 'tool'", "npx -c 'tool'"],
    ['by another program', 'node npx tool', 'node npx tool'],
    [
      'that is nowhere',
      'npx -y unheard-of@3',
      'npx would have to fetch unheard-of@3, and the sandbox has no network: npm install --global unheard-of@3',
    ],
    [
      'in another version',
      'npx wide@3.0.0',
      'npx would have to fetch wide@3.0.0, and the sandbox has no network: npm install --global wide@3.0.0',
    ],
  ];
  for (const [why, line, expected] of cases)
    test(`starts a program ${why}`, async () => {
      await using dir = await tempDir();
      const { cached, odd, global, project, env } = await scene(dir.path);
      const [first = '', ...rest] = line.split(' ');
      const got = unwrapNpx([first, ...rest], project, env);
      const result = got.kind === 'missing' ? got.message : got.argv.join(' ');
      assert.equal(
        result,
        expected.replace('CACHED', cached).replace('ODD', odd).replace('GLOBAL', global),
      );
    });
});
