import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { describeOtherProgram, findOtherProgram } from './other-program.ts';

const PYENV = ['pyenv/shims/python3', 'pyenv/versions/3.11.7/bin/python3'];

type Found =
  | { readonly own: string; readonly toolchains?: readonly string[]; readonly inProject?: string }
  | undefined;

/** `made` are programs below the home folder of the user. `path` are the folders of the shell's PATH. */
const CASES: [
  why: string,
  command: string[],
  given: {
    made: string[];
    path?: string;
    files?: Record<string, string>;
    granted?: string;
    /** The folder of a virtual environment of Python, and the program that it is made with. */
    environment?: string;
    of?: string;
  },
  expected: Found,
][] = [
  [
    'the Python of pyenv, in the version that pyenv uses everywhere',
    ['python3', '-m', 'unittest'],
    { made: PYENV, path: 'pyenv/shims', files: { 'pyenv/version': '3.11.7\nsystem\n' } },
    { own: 'pyenv/shims/python3', toolchains: ['pyenv/versions/3.11.7'] },
  ],
  [
    'the version that the project names, before that of all projects',
    ['python3', '-m', 'unittest'],
    {
      made: PYENV,
      path: 'pyenv/shims',
      files: { 'pyenv/version': 'system', 'app/.python-version': '3.11.7' },
    },
    { own: 'pyenv/shims/python3', toolchains: ['pyenv/versions/3.11.7'] },
  ],
  [
    'a version that is not there has no folder to name',
    ['python3'],
    { made: PYENV, path: 'pyenv/shims', files: { 'pyenv/version': '2.0' } },
    { own: 'pyenv/shims/python3' },
  ],
  [
    'a Python in the line of a shell, such as that of a setup',
    ['sh', '-c', 'python3 -m venv .venv && .venv/bin/pip install x'],
    { made: ['conda/bin/python3'], path: 'conda/bin' },
    { own: 'conda/bin/python3', toolchains: ['conda'] },
  ],
  [
    'a Ruby in a folder of its own',
    ['ruby', 'test.rb'],
    { made: ['ruby-4/bin/ruby'], path: 'ruby-4/bin' },
    { own: 'ruby-4/bin/ruby', toolchains: ['ruby-4'] },
  ],
  [
    'a program that is granted is the same inside',
    ['python3'],
    { made: ['conda/bin/python3'], path: 'conda/bin', granted: 'conda/bin' },
    undefined,
  ],
  [
    'a virtual environment, with the Python that it was made with',
    ['python3', '-m', 'unittest'],
    { made: ['conda/bin/python3'], path: 'env/bin', environment: 'env', of: 'conda/bin/python3' },
    { own: 'env/bin/python3', toolchains: ['env', 'conda'] },
  ],
  [
    'a virtual environment with the Python of the system, which has other packages',
    ['python3', '-m', 'unittest'],
    { made: [], path: 'env/bin', environment: 'env', of: '/usr/bin/env' },
    { own: 'env/bin/python3', toolchains: ['env'] },
  ],
  [
    'a virtual environment of the project has a path there',
    ['python3', '-m', 'unittest'],
    { made: [], path: 'app/.venv/bin', environment: 'app/.venv', of: '/usr/bin/env' },
    { own: 'app/.venv/bin/python3', inProject: '.venv/bin/python3' },
  ],
  ['the program of the system is the same inside', ['perl', '-v'], { made: [] }, undefined],
  [
    'a program of the project has its own path',
    ['.venv/bin/python', '-m', 'pytest'],
    { made: ['conda/bin/python'], path: 'conda/bin' },
    undefined,
  ],
  [
    'other words of a command start nothing',
    ['make', 'python3'],
    { made: ['conda/bin/python3'], path: 'conda/bin' },
    undefined,
  ],
];

for (const [why, command, given, expected] of CASES)
  test(`another program inside the sandbox: ${why}`, async () => {
    const { made, path = '', files = {}, granted, environment, of = '' } = given;
    await using dir = await tempDir();
    const home = await realpath(dir.path);
    for (const file of made) await put(join(home, file), '', 0o755);
    for (const [file, text] of Object.entries(files)) await put(join(home, file), text, 0o644);
    if (environment !== undefined) {
      await put(join(home, environment, 'pyvenv.cfg'), '', 0o644);
      await mkdir(join(home, environment, 'bin'));
      await symlink(resolve(home, of), join(home, environment, 'bin/python3'));
    }
    const found = await findOtherProgram(command, {
      project: join(home, 'app'),
      granted: granted === undefined ? [] : [join(home, granted)],
      env: { HOME: home, PATH: `${join(home, path)}:/usr/bin:/bin` },
    });
    const { own, toolchains, inProject } = found ?? {};
    const inHome = (file: string | undefined): string | undefined => file?.slice(home.length + 1);
    assert.deepEqual(
      found && { own: inHome(own), toolchains: toolchains?.map(inHome), inProject },
      expected && { toolchains: [], inProject: undefined, ...expected },
    );
  });

test('another program is described with both paths and the lines to add', () => {
  const inside = '/usr/bin/python3';
  const program = { name: 'python3', own: '/h/shims/python3', inside, toolchains: ['/h/3.12'] };
  const none = { inProject: undefined };
  assert.deepEqual(describeOtherProgram({ ...program, ...none }), {
    words: 'your shell runs /h/shims/python3, and the sandbox runs /usr/bin/python3',
    hint: 'To use yours, add this line to your own config.yaml: sandbox: {grants: {toolchains: [/h/3.12]}}',
  });
  const missing = { name: 'ruby', own: '/h/ruby', inside: undefined, toolchains: [], ...none };
  assert.equal(
    describeOtherProgram(missing).words,
    'your shell runs /h/ruby, and the sandbox has no ruby',
  );
  assert.equal(
    describeOtherProgram({ ...program, inProject: '.venv/bin/python3' }).hint,
    'To use yours, write .venv/bin/python3 instead of python3, and let setup make the environment',
  );
});

async function put(path: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode });
}
