import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SetupRequest } from './setup-plan.ts';
import { planSetup } from './setup-plan.ts';
import type { Tree } from './tree.ts';

const treeOf = (files: Readonly<Record<string, string>>): Tree =>
  new Map(Object.entries(files).map(([path, id]) => [path, { mode: '100644', id, bytes: 1 }]));

const request: SetupRequest = {
  command: ['npm', 'ci'],
  inputs: [],
  base: treeOf({ 'package-lock.json': '1', 'web/package-lock.json': '2', 'src/a.ts': '3' }),
  inside: '',
  machine: { arch: 'x64', node: '24' },
};
const withFiles = (files: Readonly<Record<string, string>>): Partial<SetupRequest> => ({
  base: new Map([...request.base, ...treeOf(files)]),
});

describe('what a setup depends on', () => {
  test('the lockfiles, where nothing is declared', () =>
    assert.deepEqual(planSetup(request).inputs, ['package-lock.json', 'web/package-lock.json']));

  test('what is declared, and nothing else', () => {
    const plan = planSetup({ ...request, inputs: ['src/', 'web/package-lock.json', 'gone.txt'] });
    assert.deepEqual(
      [plan.inputs, plan.missing],
      [['src/a.ts', 'web/package-lock.json'], ['gone.txt']],
    );
  });

  const cases: [why: string, change: Partial<SetupRequest>, isSame: boolean][] = [
    ['another source file', withFiles({ 'src/a.ts': '9' }), true],
    ['another lockfile', withFiles({ 'package-lock.json': '9' }), false],
    ['one lockfile more', withFiles({ 'requirements.txt': '1' }), false],
    ['rules of the installer', withFiles({ '.npmrc': '9' }), false],
    ['another machine', { machine: { arch: 'arm64', node: '24' } }, false],
    ['the machine told in another order', { machine: { node: '24', arch: 'x64' } }, true],
    ['another command', { command: ['npm', 'install'] }, false],
    ['another folder', { inside: 'web' }, false],
    ['a lockfile of a deep example', withFiles({ 'a/b/c/yarn.lock': '9' }), true],
  ];
  for (const [why, change, isSame] of cases) {
    test(`${isSame ? 'the same' : 'another'} result: ${why}`, () =>
      assert.equal(planSetup({ ...request, ...change }).key === planSetup(request).key, isSame));
  }

  test('of declared inputs, one that is not among them makes no difference', () => {
    const declared = { ...request, inputs: ['src'] };
    const { key } = planSetup(declared);
    assert.equal(planSetup({ ...declared, ...withFiles({ 'package-lock.json': '9' }) }).key, key);
    assert.notEqual(planSetup({ ...declared, ...withFiles({ 'src/a.ts': '9' }) }).key, key);
    assert.notEqual(planSetup({ ...declared, ...withFiles({ 'src/b.ts': '9' }) }).key, key);
  });
});
