import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProjectListing } from './listing.ts';
import type { MissingThing } from './nearest-command.ts';
import { listChoices, nearestCommand } from './nearest-command.ts';

const SCRIPTS = { test: 'node --test', lint: 'oxlint', 'test:unit': 'node --test unit' };
const LISTING: ProjectListing = {
  paths: ['package.json', 'Makefile', 'check.mjs', 'tests/test_sum.py'],
  ignored: [],
  texts: new Map([
    ['package.json', JSON.stringify({ scripts: SCRIPTS, devDependencies: { rollup: '4' } })],
    ['Makefile', 'all: build\nbuild:\n\tcc a.c\ncheck:\n\t./a\n'],
  ]),
};

const CASES: readonly (readonly [
  why: string,
  command: string,
  kind: MissingThing['kind'],
  name: string,
  meant: string | undefined,
])[] = [
  ['a misspelt command of npm', 'npm tset', 'script', 'tset', 'npm test'],
  ['a misspelt script', 'npm run lnit', 'script', 'lnit', 'npm run lint'],
  ['a script without run', 'npm lint', 'script', 'lint', 'npm run lint'],
  ['a misspelt script of pnpm', 'pnpm tset', 'script', 'tset', 'pnpm test'],
  ['a script that no script is close to', 'npm run everything', 'script', 'everything', undefined],
  ['a misspelt target', 'make chekc', 'target', 'chekc', 'make check'],
  ['a misspelt module', 'python -m pytset -q', 'module', 'pytset', 'python -m pytest -q'],
  ['a module that is not installed', 'python -m pytest', 'module', 'pytest', undefined],
  ['a misspelt package', 'npx jset', 'package', 'jset', 'npx jest'],
  ['a misspelt dependency', 'npx rolup', 'package', 'rolup', 'npx rollup'],
  ['a misspelt file', 'node chekc.mjs', 'file', 'chekc.mjs', 'node check.mjs'],
  [
    'a misspelt file in a folder',
    'pytest ./tests/test_smu.py',
    'file',
    './tests/test_smu.py',
    'pytest ./tests/test_sum.py',
  ],
  ['a misspelt command of cargo', 'cargo tset', 'subcommand', 'tset', 'cargo test'],
  ['a module that only a script names', 'npm test', 'module', 'pytset', undefined],
];
for (const [why, command, kind, name, meant] of CASES)
  test(`${why}: ${command}`, () => {
    assert.equal(nearestCommand(command.split(' '), { kind, name }, LISTING), meant);
  });

test('the choices are commands, and only scripts and targets have some', () => {
  const missing = (kind: MissingThing['kind']): MissingThing => ({ kind, name: 'x' });
  assert.deepEqual(listChoices(['npm', 'x'], missing('script'), LISTING), [
    'npm test',
    'npm run lint',
    'npm run test:unit',
  ]);
  assert.deepEqual(listChoices(['make', 'x'], missing('target'), LISTING), [
    'make all',
    'make build',
    'make check',
  ]);
  assert.deepEqual(listChoices(['python', 'x'], missing('module'), LISTING), []);
});
