import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileTree } from '../../workspace/tree-entries.ts';
import { followCommand } from './gate-command.ts';
import { hasTasks, isKnownProgram, WRAPPER_VERBS, WRAPPERS } from './known-programs.ts';
import { RUNNERS, WITHOUT_FILES } from './program-settings.ts';

const tree = (files: Readonly<Record<string, string>>): FileTree =>
  new Map(Object.entries(files).map(([path, id]) => [path, { mode: '100644', id, bytes: 1 }]));

function openOf(
  command: readonly string[],
  files: Readonly<Record<string, string>> = {},
): readonly string[] {
  return followCommand(command, '', tree(files), new Map(Object.entries(files))).notFollowed;
}

describe('a program that is in no list leaves a gate unprotected', () => {
  const strange = ['strange-program', '--all'];
  const line = strange.join(' ');
  const before: Readonly<Record<string, readonly string[]>> = {
    direnv: ['exec', '.'],
    faketime: ['2020-01-01'],
    script: ['-c'],
  };
  for (const wrapper of WRAPPERS)
    for (const verb of WRAPPER_VERBS[wrapper] ?? ['']) {
      const words = before[wrapper] ?? (verb === '' ? [] : [verb]);
      // `hatch test` and its like start pytest, whatever comes behind.
      if (wrapper === 'hatch' && verb === 'test') continue;
      test(`behind ${wrapper} ${words.join(' ')}`, () =>
        assert.notDeepEqual(openOf([wrapper, ...words, ...strange]), []));
    }

  const cases: [why: string, command: string[], files?: Readonly<Record<string, string>>][] = [
    ['by itself', strange],
    ['by its place on the machine', ['/usr/bin/strange-program']],
    ['behind npx', ['npx', ...strange]],
    ['behind npm exec', ['npm', 'exec', '--', ...strange]],
    ['behind yarn', ['yarn', ...strange]],
    ['behind xargs', ['xargs', '-n', '1', ...strange]],
    ['behind find', ['find', '.', '-name', '*.js', '-exec', ...strange, '{}', ';']],
    ['in a line', ['sh', '-c', `true && ${line}`]],
    ['in a substitution', ['sh', '-c', `echo $(${line})`]],
    ['in eval', ['sh', '-c', `eval "${line}"`]],
    ['in a trap', ['sh', '-c', `trap '${line}' EXIT`]],
    ['in a script', ['./a.sh'], { 'a.sh': `#!/bin/sh\n${line}\n` }],
    ['in a script of npm', ['npm', 'test'], { 'package.json': `{"scripts":{"test":"${line}"}}` }],
    ['in a target of make', ['make'], { Makefile: `all:\n\t${line}\n` }],
    ['in a recipe of just', ['just'], { justfile: `all:\n  ${line}\n` }],
    ['in a value of just', ['just'], { justfile: `v := \`${line}\`\nall:\n  true\n` }],
    ['in a Taskfile', ['task'], { 'Taskfile.yml': `tasks:\n  a:\n    cmds:\n      - ${line}\n` }],
    ['as the only command', ['task'], { 'Taskfile.yml': `tasks:\n  a:\n    cmd: ${line}\n` }],
    [
      'in a folded block',
      ['task'],
      { 'Taskfile.yml': `tasks:\n  a:\n    cmds:\n      - cmd: >-\n          ${line}\n` },
    ],
    ['in tox', ['tox'], { 'tox.ini': `[testenv]\ncommands =\n  ${line}\n` }],
    ['in a task of rake', ['rake'], { Rakefile: `task(:a) { sh '${line}' }\n` }],
    [
      'in a hook',
      ['pre-commit', 'run'],
      { '.pre-commit-config.yaml': `repos:\n- hooks:\n  - entry: ${line}\n` },
    ],
    ['in composer', ['composer', 'test'], { 'composer.json': `{"scripts":{"test":["${line}"]}}` }],
    [
      'as a runner of cargo',
      ['cargo', 'test'],
      { '.cargo/config.toml': `[target.x]\nrunner = ["strange-program"]\n` },
    ],
    ['as a test program of Go', ['go', 'test', '-exec', 'strange-program', './...']],
    ['as a verb of cargo', ['cargo', 'strange']],
    ['as a verb of dotnet', ['dotnet', 'strange.dll']],
    ['as a verb of poetry', ['poetry', 'strange']],
    ['as an alias of mix', ['mix', 'test'], { 'mix.exs': `[test: ["cmd ${line}"]]` }],
  ];
  for (const [why, command, files] of cases)
    test(why, () => assert.notDeepEqual(openOf(command, files), []));

  const removed =
    'ant lein clojure zig rebar3 dune cabal stack nimble nim ghc ocaml crystal xcodebuild msbuild R bazel buck2 pants cmake ctest meson ninja docker nx java gulp grunt nox invoke';
  for (const name of removed.split(' '))
    test(`${name}, whose files are in no list, or are programs`, () =>
      assert.notDeepEqual(openOf([name, 'test']), []));
});

test('a runner is known by its entry, and only these have one without files', () => {
  assert.ok([...RUNNERS].every(isKnownProgram));
  assert.deepEqual(
    WITHOUT_FILES.join(' '),
    'cc gcc g++ c++ clang clang++ ld ar as ranlib nm strip cpp pkg-config ldd composer',
  );
  for (const name of ['constructor', '__proto__', 'toString', 'valueOf'])
    assert.deepEqual([name, isKnownProgram(name), hasTasks(name)], [name, false, false]);
});
