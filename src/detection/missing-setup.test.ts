import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProjectListing } from './listing.ts';
import { findMissingSetup } from './missing-setup.ts';

const NODE = {
  'package.json': '{"scripts":{"test":"vitest"},"devDependencies":{"vitest":"4"}}',
  'package-lock.json': '',
};
const PYTHON = { 'requirements.txt': 'flask', 'test_a.py': '' };

type Files = Readonly<Record<string, string>>;

function listingOf(files: Files, ignored: readonly string[]): ProjectListing {
  return { paths: Object.keys(files), ignored, texts: new Map(Object.entries(files)) };
}

describe('a gate without a setup', () => {
  const cases: [
    why: string,
    files: Files,
    ignored: readonly string[],
    command: readonly string[],
    missing: string | null,
  ][] = [
    [
      'npm test, and node_modules is ignored',
      NODE,
      ['node_modules'],
      ['npm', 'test'],
      'node_modules',
    ],
    ['npm test in a fresh clone', NODE, [], ['npm', 'test'], 'node_modules'],
    ['a shell line with npm', NODE, [], ['sh', '-c', 'true && npm test'], 'node_modules'],
    ['npm behind env', NODE, [], ['env', 'A=b', 'npm', 'test'], 'node_modules'],
    ['a shell line without any tool', NODE, ['node_modules'], ['sh', '-c', 'test -s a'], null],
    ['node, and packages are installed', NODE, ['node_modules'], ['node', 'a.js'], 'node_modules'],
    ['node, and no packages are installed', NODE, [], ['node', 'a.js'], null],
    ['make, and packages are installed', NODE, ['node_modules'], ['make', 'test'], 'node_modules'],
    ['a script, and packages are installed', NODE, ['node_modules'], ['./t.sh'], 'node_modules'],
    ['make in a fresh clone', NODE, [], ['make', 'test'], null],
    ['another language', NODE, ['node_modules'], ['go', 'test'], null],
    ['a project without dependencies', { 'package.json': '{}' }, [], ['npm', 'test'], null],
    ['committed dependencies', { ...NODE, 'node_modules/a/b.js': '' }, [], ['npm', 'test'], null],
    ['pytest of the machine', PYTHON, [], ['python3', '-m', 'pytest'], null],
    ['pytest, and a venv is ignored', PYTHON, ['venv'], ['pytest'], 'venv'],
    ['the Python of a venv', PYTHON, [], ['.venv/bin/python', '-m', 'pytest'], '.venv'],
    [
      'uv',
      { 'pyproject.toml': '[project]\nname = "a"', 'uv.lock': '' },
      [],
      ['uv', 'run', 'pytest'],
      '.venv',
    ],
    ['Go', { 'go.mod': 'module a\nrequire b v1' }, [], ['go', 'test', './...'], 'vendor'],
    [
      'Rust, for which no setup is known',
      { 'Cargo.toml': '[dependencies]\na = "1"' },
      [],
      ['cargo', 'test'],
      null,
    ],
    [
      'a folder of the project',
      { 'web/package.json': NODE['package.json'], 'web/yarn.lock': '' },
      ['web/node_modules'],
      ['sh', '-c', 'cd web && yarn test'],
      'web/node_modules',
    ],
  ];
  for (const [why, files, ignored, command, folder] of cases)
    test(`${folder === null ? 'can run' : `lacks ${folder}`}: ${why}`, () => {
      const missing = findMissingSetup(listingOf(files, ignored), [{ name: 'g', command }]);
      assert.equal(missing?.folder ?? null, folder);
    });

  test('can run if the user gives the dependencies to every copy', () => {
    const listing = listingOf(NODE, ['node_modules']);
    const gates = [{ name: 'test', command: ['npm', 'test'] }];
    const given = { inside: ['/project/node_modules'], shared: [] };
    assert.equal(findMissingSetup(listing, gates, given), null);
    // Programs of the user are no dependencies of the project.
    const shared = ['/home/ann/.npm-global/lib/node_modules'];
    assert.notEqual(findMissingSetup(listing, gates, { inside: [], shared }), null);
  });

  const shares: [path: string, isEnough: boolean][] = [
    ['/home/ann/go', true],
    ['/home/ann/go/pkg', true],
    ['/home/ann/go/pkg/mod', true],
    ['/mnt/modules/pkg/mod', true],
    ['/home/ann/.asdf/installs/golang/1.26', true],
    ['/home/ann/sdk/go1.26.1', true],
    ['/home/ann/go/bin', false],
    ['/home/ann/.cargo/bin', false],
    ['/home/ann/google', false],
  ];
  for (const [path, isEnough] of shares)
    test(`${isEnough ? 'can run' : 'lacks modules'}: Go, and the user shares ${path}`, () => {
      const listing = listingOf({ 'go.mod': 'module a\nrequire b v1' }, []);
      const gates = [{ name: 'test', command: ['go', 'test', './...'] }];
      const missing = findMissingSetup(listing, gates, { inside: [], shared: [path] });
      assert.equal(missing === null, isEnough);
    });

  test('gets the setup of the whole project, and the Python that it makes', () => {
    const listing = listingOf({ ...NODE, ...PYTHON }, ['node_modules', '.venv']);
    const gates = [
      { name: 'size', command: ['test', '-s', 'a'] },
      { name: 'unit', command: ['python3', '-m', 'pytest'] },
    ];
    assert.deepEqual(findMissingSetup(listing, gates), {
      gate: 'unit',
      folder: '.venv',
      isIgnored: true,
      setup: {
        command: [
          'sh',
          '-c',
          'npm ci && python3 -m venv .venv && .venv/bin/pip install -r requirements.txt pytest',
        ],
        inputs: ['package-lock.json', 'requirements.txt'],
        network: ['registry'],
      },
      python: '.venv/bin/python',
    });
  });
});
