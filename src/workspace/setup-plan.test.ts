import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planSetup } from './setup-plan.ts';
import type { Tree } from './tree.ts';

const treeOf = (files: Readonly<Record<string, string>>): Tree =>
  new Map(Object.entries(files).map(([path, id]) => [path, { mode: '100644', id, bytes: 1 }]));

const request = {
  commands: [['npm', 'ci']],
  base: treeOf({ 'package-lock.json': '1', 'web/package-lock.json': '2', 'src/a.ts': '3' }),
  machine: { arch: 'x64', node: '24' },
  cacheDir: '/cache',
};

describe('what is set up', () => {
  test('each lockfile has its result beside it', () => {
    const plan = planSetup(request) ?? assert.fail();
    assert.deepEqual(
      [plan.lockfiles, plan.gives.map(({ to, how }) => `${how} ${to}`), plan.dir],
      [
        ['package-lock.json', 'web/package-lock.json'],
        ['read-only node_modules', 'read-only web/node_modules'],
        `/cache/${plan.key}`,
      ],
    );
    assert.equal(plan.gives[1]?.from, `/cache/${plan.key}/tree/web/node_modules`);
  });

  test('a Python project has its environment, copied where that is wished', () => {
    const base = treeOf({ 'requirements.txt': '1', 'pyproject.toml': '2' });
    const plan = planSetup({ ...request, base, give: 'copied' });
    assert.deepEqual(
      plan?.gives.map(({ to, how }) => `${how} ${to}`),
      ['copied .venv'],
    );
  });

  const same = planSetup(request)?.key;
  const cases: [why: string, change: Partial<typeof request>, isSame: boolean][] = [
    [
      'another source file',
      { base: new Map([...request.base, ...treeOf({ 'src/a.ts': '9' })]) },
      true,
    ],
    [
      'another lockfile',
      { base: new Map([...request.base, ...treeOf({ 'package-lock.json': '9' })]) },
      false,
    ],
    [
      'rules of the installer',
      { base: new Map([...request.base, ...treeOf({ '.npmrc': '9' })]) },
      false,
    ],
    ['another machine', { machine: { arch: 'arm64', node: '24' } }, false],
    ['the machine told in another order', { machine: { node: '24', arch: 'x64' } }, true],
    ['another command', { commands: [['npm', 'install']] }, false],
    [
      'a lockfile of a deep example',
      { base: new Map([...request.base, ...treeOf({ 'a/b/c/yarn.lock': '9' })]) },
      true,
    ],
  ];
  for (const [why, change, isSame] of cases) {
    test(`${isSame ? 'the same' : 'another'} result: ${why}`, () =>
      assert.equal(planSetup({ ...request, ...change })?.key === same, isSame));
  }

  test('without a command, or without a lockfile, there is nothing to do', () => {
    assert.equal(planSetup({ ...request, commands: [] }), undefined);
    assert.equal(planSetup({ ...request, base: treeOf({ 'a.ts': '1' }) }), undefined);
    const told = planSetup({ ...request, base: treeOf({}), results: ['deps'] });
    assert.deepEqual(
      told?.gives.map(({ to }) => to),
      ['deps'],
    );
  });
});
