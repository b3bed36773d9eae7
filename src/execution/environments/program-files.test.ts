/** Programs behind a wrapper: what a sandbox has to show so that they run, and what it must not. */
import assert from 'node:assert/strict';
import { chmod, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { findInstallation } from './installation.ts';

type Made = Readonly<Record<string, string>>;

/** Files by their path, `->` a link; a script can be run. */
async function make(root: string, files: Made): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const full = join(root, path);
    await mkdir(dirname(full), { recursive: true });
    const [, target] = /^-> (.*)$/.exec(text) ?? [];
    if (target !== undefined) await symlink(target, full);
    else await writeFile(full, text.replaceAll('ROOT', root));
    if (text.startsWith('#!')) await chmod(full, 0o755);
  }
}

const PACKAGE: Made = {
  'lib/node_modules/@some/tool/cli.js': '#!/usr/bin/env node\nimport "./dist/main.js"',
  'lib/node_modules/@some/tool/package.json': '{}',
};
const CLONE: Made = {
  'src/tool/package.json': '{}',
  'src/tool/.env': 'KEY=secret',
  'src/tool/.git/config': '',
  'src/tool/bin/cli.js': '#!/usr/bin/env node\nimport "../dist/main.js"',
  'src/tool/dist/main.js': '',
  'src/tool/node_modules/x/index.js': '',
};
const CLONED = ['bin', 'dist', 'node_modules', 'package.json'].map((name) => `src/tool/${name}`);

const cases: [why: string, files: Made, shown: readonly string[]][] = [
  [
    'a shell script that starts a package',
    {
      ...PACKAGE,
      'bin/tool': '#!/bin/sh\nexec node "ROOT/lib/node_modules/@some/tool/cli.js" "$@"',
    },
    ['bin/tool', 'lib/node_modules'],
  ],
  [
    'a shim as pnpm writes it',
    {
      ...PACKAGE,
      'bin/tool':
        '#!/bin/sh\nbasedir=$(dirname "$(echo "$0" | sed -e \'s,\\\\,/,g\')")\nif [ -x "$basedir/node" ]; then\n  exec "$basedir/node"  "$basedir/../lib/node_modules/@some/tool/cli.js" "$@"\nelse\n  exec node  "$basedir/../lib/node_modules/@some/tool/cli.js" "$@"\nfi',
    },
    ['bin/tool', 'lib/node_modules'],
  ],
  [
    'a script for Node whose package lies elsewhere',
    {
      ...PACKAGE,
      'bin/tool': '#!/usr/bin/env node\nrequire("../lib/node_modules/@some/tool/cli.js")',
    },
    ['bin/tool', 'lib/node_modules'],
  ],
  [
    'a package that was linked, without its hidden files',
    { ...CLONE, 'bin/tool': '-> ../src/tool/bin/cli.js' },
    CLONED,
  ],
  [
    'a package of a monorepo',
    {
      'repo/packages/tool/package.json': '{}',
      'repo/packages/tool/cli.mjs': '#!/usr/bin/env node\nimport "y"',
      'repo/node_modules/y/index.js': '',
      'bin/tool': '-> ../repo/packages/tool/cli.mjs',
    },
    ['repo/node_modules', 'repo/packages/tool/cli.mjs', 'repo/packages/tool/package.json'],
  ],
  [
    'a script that starts a script in the home that starts a clone',
    {
      ...CLONE,
      'bin/tool': '#!/bin/bash\n. $HOME/.secrets\nexec $HOME/inner.sh "$@"',
      'home/inner.sh': '#!/bin/bash\nnode ROOT/src/tool/bin/cli.js --flag "$@"',
      'home/.secrets': 'export KEY=x',
    },
    ['bin/tool', 'home/inner.sh', ...CLONED],
  ],
  [
    'a program of Python in an environment of its own',
    {
      'venv/pyvenv.cfg': 'home = /usr/bin',
      'venv/bin/python': '-> /usr/bin/env',
      'venv/bin/tool': '#!ROOT/venv/bin/python\nimport tool',
      'bin/tool': '-> ../venv/bin/tool',
    },
    ['venv'],
  ],
  [
    'neither a home that is a package nor a key that a script names',
    {
      'home/package.json': '{}',
      'home/tool': '#!/usr/bin/env node\n"../.ssh/id"',
      'home/.ssh/id': '#!x',
      'home/.config/gh/run.js': '',
      'bin/tool': '#!/bin/sh\nexec node $HOME/.config/gh/run.js; ~/tool; cat $HOME/notes',
      'home/notes': 'mine',
    },
    ['bin/tool', 'home/tool'],
  ],
];

describe('of a program behind a wrapper is shown', () => {
  for (const [why, files, shown] of cases)
    test(why, async () => {
      await using dir = await tempDir();
      const root = await realpath(dir.path);
      await make(root, files);
      const env = { PATH: join(root, 'bin'), HOME: join(root, 'home') };
      const found = findInstallation('tool', env);
      assert.deepEqual(found?.read.toSorted(), shown.map((path) => join(root, path)).toSorted());
    });
});
