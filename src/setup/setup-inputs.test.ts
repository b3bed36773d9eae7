import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileTree } from '../workspace/tree-entries.ts';
import { followCommand } from '../gates/definition/gate-command.ts';
import { setupInputs } from './setup-inputs.ts';

type Files = Readonly<Record<string, string>>;

const tree = (files: Files): FileTree =>
  new Map(Object.entries(files).map(([path, id]) => [path, { mode: '100644', id, bytes: 1 }]));
const words = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
const pkg = (scripts: object): string => JSON.stringify({ scripts });

describe('M2: the result of a setup depends on what its command leads to', () => {
  const cases: [setup: string, files: Files, leads: string[]][] = [
    [
      'bash scripts/setup.sh',
      {
        'scripts/setup.sh': '. ./env.sh\npython3 tools/get.py\n',
        'env.sh': '',
        'tools/get.py': '',
      },
      ['env.sh', 'scripts/setup.sh', 'tools/get.py'],
    ],
    [
      'npm ci',
      { 'package.json': pkg({ preinstall: 'node scripts/x.js' }), 'scripts/x.js': '', 'a.js': '' },
      ['package.json', 'scripts/x.js'],
    ],
    [
      'npm install',
      {
        'package.json': pkg({ prepare: 'npm run build', build: 'node tools/build.mjs' }),
        'tools/build.mjs': '',
        'packages/a/package.json': pkg({ postinstall: 'sh ./native/make.sh' }),
        'packages/a/native/make.sh': '',
        'jest.config.js': "require('./tools/jest.js')",
        'tools/jest.js': '',
      },
      ['package.json', 'packages/a/native/make.sh', 'packages/a/package.json', 'tools/build.mjs'],
    ],
    [
      'pnpm i',
      { 'package.json': pkg({ postinstall: 'node ./get.cjs' }), 'get.cjs': '' },
      ['get.cjs', 'package.json'],
    ],
    [
      'yarn',
      { 'package.json': pkg({ postinstall: 'node get.cjs' }), 'get.cjs': '' },
      ['get.cjs', 'package.json'],
    ],
    [
      'make deps',
      { Makefile: 'include d.mk\ndeps:\n\t./get.sh\n', 'd.mk': '', 'get.sh': '', 'b.sh': '' },
      ['Makefile', 'd.mk', 'get.sh'],
    ],
    [
      "sh -c 'cd app && ./setup'",
      { 'app/setup': 'pip install -r requirements.txt\n', 'app/a.py': '' },
      ['app/setup'],
    ],
    [
      'composer install',
      {
        'composer.json': '{"scripts":{"post-install-cmd":"php bin/after.php"}}',
        'bin/after.php': '',
      },
      ['bin/after.php'],
    ],
    [
      'strange-installer',
      { 'a.js': '', 'deps.sh': '', 'scripts/get.py': '', Makefile: '', 'src/b.py': '' },
      ['Makefile', 'deps.sh', 'scripts/get.py'],
    ],
  ];
  for (const [setup, files, leads] of cases)
    test(setup, () => {
      const base = tree(files);
      const texts = new Map(Object.entries(files));
      const followed = followCommand(words(setup), '', base, texts, { withSettings: false });
      assert.deepEqual(setupInputs(followed, base).toSorted(), leads);
    });
});
