import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shellInCommand } from './shell-command.ts';

const CASES: readonly (readonly [string, string, string | undefined])[] = [
  ['a plain program has no shell', 'npm test', undefined],
  ['a script of the project is no line', 'sh check.sh -c', undefined],
  ['a script with options of the shell is no line', 'bash -eu check.sh', undefined],
  ['a shell with a line is found', 'sh -c true', 'sh -c'],
  ['a shell by its path is found', '/bin/bash -c true', 'bash -c'],
  ['a cluster of options is read', 'bash -lc true', 'bash -lc'],
  ['the option may come later', 'bash --norc -ec true', 'bash -ec'],
  ['the long option of fish is read', 'fish --command=true', 'fish --command'],
  ['a shell that reads its input is found', 'sh', 'sh'],
  ['a shell that is told to read its input is found', 'bash -s', 'bash -s'],
  ['a shell behind env is found', 'env A=1 sh -c true', 'env … sh -c'],
  ['a shell behind xargs is found', 'xargs -n1 bash -c true', 'xargs … bash -c'],
  ['a shell behind find is found', 'find . -exec sh -c true ;', 'find … sh -c'],
  ['two wrappers hide no shell', 'timeout 5 nice sh -c true', 'timeout … sh -c'],
  ['env that splits a text is a shell', 'env -S sh\\ -c', 'env -S'],
  ['env with its long option is a shell', 'env --split-string=sh', 'env --split-string'],
  ['an option of the shell with a value is passed', 'bash -o pipefail -c true', 'bash -c'],
  ['a cluster that ends with such an option is passed', 'bash -euo pipefail -c true', 'bash -c'],
  ['a script after such an option is no line', 'bash -euo pipefail check.sh', undefined],
  ['a shell behind another display is found', 'xvfb-run -a sh -c true', 'xvfb-run … sh -c'],
  ['a shell behind npm exec is found', 'npm exec -- sh -c true', 'npm … sh -c'],
  ['a line of npx is found', 'npx -c true', 'npx -c'],
  ['a line of npm exec is found', 'npm exec --call=true', 'npm --call'],
  ['a line of script is found', 'script -qec true', 'script -qec'],
  ['a line of flock is found', 'flock lock -c true', 'flock -c'],
  ['a line of another user is found', 'su -c true', 'su -c'],
  ['a line of PowerShell is found', 'pwsh -Command true', 'pwsh -Command'],
  ['a program that always starts a shell is found', 'cross-env-shell true', 'cross-env-shell'],
  ['a line of npx with a package is found', 'npx -p cowsay -c true', 'npx -c'],
  ['an option of a program behind npx is no line', 'npx eslint -c config.js', undefined],
  ['an option of a program behind flock is no line', 'flock lock eslint -c a.js', undefined],
  ['a line of a program behind timeout is found', 'timeout 5m npx -c true', 'timeout … npx -c'],
  [
    'a line behind two wrappers is found',
    'timeout -s KILL 5 nice flock lock -c true',
    'timeout … nice … flock -c',
  ],
  ['a line behind npm exec is found', 'npm exec -- su -c true', 'npm … su -c'],
  ['another shell of make is found', 'make SHELL=./sh test', 'make SHELL=./sh'],
  ['rules in the arguments of make are found', 'make --eval=all:;true', 'make --eval=all:;true'],
  ['another shell of make behind env is found', 'env A=1 make SHELL=x', 'env … make SHELL=x'],
  ['a shell of awk is found', 'awk BEGIN{system("make")}', 'awk BEGIN{system("make")}'],
  ['a pipe of awk is found', 'gawk {"make"|getline}', 'gawk {"make"|getline}'],
  ['an alias of git is found', 'git -c alias.x=!make x', 'git alias.x=!make'],
  ['a plain target of make is no shell', 'make -j4 CC=clang test', undefined],
  ['a plain program of awk is no shell', 'awk {print\\ $1} a.txt', undefined],
  ['a file that a wrapped program reads is no wrapper', 'npx eslint script -c a.js', undefined],
  ['a script of the package may be called sh', 'npm run sh', undefined],
  ['an option of a script of the package is no line', 'npm test -- -c config.js', undefined],
  ['env before a program is no shell', 'env CI=1 npm test', undefined],
  ['a folder that is called sh is no shell', 'eslint sh -c config.js', undefined],
  ['an argument of a wrapped program is no line', 'env npm run sh check.sh', undefined],
];

describe('a command', () => {
  for (const [why, line, expected] of CASES)
    test(why, () => assert.equal(shellInCommand(line.split(/(?<!\\) /)), expected));
});
