import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SetupRequest } from './setup-plan.ts';
import { planSetup } from './setup-plan.ts';
import type { FileTree } from '../tree-entries.ts';

const treeWith = (files: Readonly<Record<string, string>>): FileTree =>
  new Map(Object.entries(files).map(([path, id]) => [path, { mode: '100644', id, bytes: 1 }]));

const request: SetupRequest = {
  project: '/home/ann/app',
  command: ['npm', 'ci'],
  inputs: [],
  leadsTo: [],
  base: treeWith({ 'package-lock.json': '1', 'web/package-lock.json': '2', 'src/a.ts': '3' }),
  inside: '',
  settings: { network: ['registry'], granted: [] },
  machine: { arch: 'x64', node: '24' },
};
const withFiles = (files: Readonly<Record<string, string>>): Partial<SetupRequest> => ({
  base: new Map([...request.base, ...treeWith(files)]),
});

describe('what a setup depends on', () => {
  test('the lockfiles, if nothing is declared', () =>
    assert.deepEqual(planSetup(request).inputs, ['package-lock.json', 'web/package-lock.json']));

  test('the declared inputs, and the lockfiles', () => {
    const plan = planSetup({ ...request, inputs: ['src/', 'gone.txt'] });
    assert.deepEqual(
      [plan.inputs, plan.missing],
      [['package-lock.json', 'src/a.ts', 'web/package-lock.json'], ['gone.txt']],
    );
  });

  test('the files that the command starts, and the lockfiles', () => {
    const { inputs, missing } = planSetup({ ...request, leadsTo: ['src/a.ts', 'gone.sh'] });
    assert.deepEqual(
      [inputs, missing],
      [['package-lock.json', 'src/a.ts', 'web/package-lock.json'], []],
    );
  });

  const cases: [why: string, change: Partial<SetupRequest>, isSame: boolean][] = [
    // M2: a result that one project had poisoned was used by every project with the same lockfile.
    ['another project with the same files', { project: '/home/ann/other' }, false],
    ['scripts that an installer runs', withFiles({ 'package.json': '9' }), false],
    ['scripts of a package deep in the tree', withFiles({ 'a/b/c/d/package.json': '9' }), false],
    ['a build script', withFiles({ 'native/build.rs': '9' }), false],
    ['a patch of a dependency', withFiles({ 'patches/left-pad.patch': '9' }), false],
    ['a release of yarn', withFiles({ '.yarn/releases/yarn.cjs': '9' }), false],
    ['more requirements', withFiles({ 'requirements-dev.txt': '9' }), false],
    ['other hosts to reach', { settings: { network: ['evil.example'], granted: [] } }, false],
    ['another toolchain', { settings: { network: ['registry'], granted: ['x'] } }, false],
    ['another pom', withFiles({ 'pom.xml': '9' }), false],
    ['another gem', withFiles({ 'engines/a/a.gemspec': '9' }), false],
    ['another source file', withFiles({ 'src/a.ts': '9' }), true],
    ['another lockfile', withFiles({ 'package-lock.json': '9' }), false],
    ['one lockfile more', withFiles({ 'requirements.txt': '1' }), false],
    ['rules of the installer', withFiles({ '.npmrc': '9' }), false],
    ['another machine', { machine: { arch: 'arm64', node: '24' } }, false],
    ['the machine facts in another order', { machine: { node: '24', arch: 'x64' } }, true],
    ['another command', { command: ['npm', 'install'] }, false],
    ['another folder', { inside: 'web' }, false],
    ['a lockfile of a deep example', withFiles({ 'a/b/c/yarn.lock': '9' }), false],
  ];
  for (const [why, change, isSame] of cases) {
    test(`${isSame ? 'the same' : 'another'} result: ${why}`, () =>
      assert.equal(planSetup({ ...request, ...change }).key === planSetup(request).key, isSame));
  }

  test('with declared inputs, lockfiles still count and other files do not', () => {
    const declared = { ...request, inputs: ['src'] };
    const { key } = planSetup(declared);
    assert.equal(planSetup({ ...declared, ...withFiles({ 'lib/a.ts': '9' }) }).key, key);
    for (const path of ['package-lock.json', 'src/a.ts', 'src/b.ts'])
      assert.notEqual(planSetup({ ...declared, ...withFiles({ [path]: '9' }) }).key, key);
  });
});
