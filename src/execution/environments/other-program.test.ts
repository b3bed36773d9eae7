import assert from 'node:assert/strict';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { describeOtherProgram, findOtherProgram } from './other-program.ts';

const PYENV = ['pyenv/shims/python3', 'pyenv/versions/3.11.7/bin/python3'];

type Found = { readonly own: string; readonly toolchain?: string } | undefined;

/** `made` are programs below the home folder of the user. `path` are the folders of the shell's PATH. */
const CASES: [
  why: string,
  command: string[],
  given: { made: string[]; path?: string; files?: Record<string, string>; granted?: string },
  expected: Found,
][] = [
  [
    'the Python of pyenv, in the version that pyenv uses everywhere',
    ['python3', '-m', 'unittest'],
    { made: PYENV, path: 'pyenv/shims', files: { 'pyenv/version': '3.11.7\nsystem\n' } },
    { own: 'pyenv/shims/python3', toolchain: 'pyenv/versions/3.11.7' },
  ],
  [
    'the version that the project names, before that of all projects',
    ['python3', '-m', 'unittest'],
    {
      made: PYENV,
      path: 'pyenv/shims',
      files: { 'pyenv/version': 'system', 'app/.python-version': '3.11.7' },
    },
    { own: 'pyenv/shims/python3', toolchain: 'pyenv/versions/3.11.7' },
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
    { own: 'conda/bin/python3', toolchain: 'conda' },
  ],
  [
    'a Ruby in a folder of its own',
    ['ruby', 'test.rb'],
    { made: ['ruby-4/bin/ruby'], path: 'ruby-4/bin' },
    { own: 'ruby-4/bin/ruby', toolchain: 'ruby-4' },
  ],
  [
    'a program that is granted is the same inside',
    ['python3'],
    { made: ['conda/bin/python3'], path: 'conda/bin', granted: 'conda/bin' },
    undefined,
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

for (const [why, command, { made, path = '', files = {}, granted }, expected] of CASES)
  test(`another program inside the sandbox: ${why}`, async () => {
    await using dir = await tempDir();
    const home = await realpath(dir.path);
    for (const file of made) await put(join(home, file), '', 0o755);
    for (const [file, text] of Object.entries(files)) await put(join(home, file), text, 0o644);
    const found = await findOtherProgram(command, {
      project: join(home, 'app'),
      granted: granted === undefined ? [] : [join(home, granted)],
      env: { HOME: home, PATH: `${join(home, path)}:/usr/bin:/bin` },
    });
    const { own, toolchain } = found ?? {};
    const inHome = (file: string | undefined): string | undefined => file?.slice(home.length + 1);
    assert.deepEqual(
      found && { own: inHome(own), toolchain: inHome(toolchain) },
      expected && { toolchain: undefined, ...expected },
    );
  });

test('another program is described with both paths and the lines to add', () => {
  const inside = '/usr/bin/python3';
  const program = { name: 'python3', own: '/h/shims/python3', inside, toolchain: '/h/3.12' };
  assert.deepEqual(describeOtherProgram(program), {
    words: 'your shell runs /h/shims/python3, and the sandbox runs /usr/bin/python3',
    hint: 'To use yours, add this line to your own config.yaml: sandbox: {grants: {toolchains: [/h/3.12]}}',
  });
  const missing = { name: 'ruby', own: '/h/ruby', inside: undefined, toolchain: undefined };
  assert.equal(
    describeOtherProgram(missing).words,
    'your shell runs /h/ruby, and the sandbox has no ruby',
  );
});

async function put(path: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode });
}
