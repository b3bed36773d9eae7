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
  ['env before a program is no shell', 'env CI=1 npm test', undefined],
  ['a folder that is called sh is no shell', 'eslint sh -c config.js', undefined],
  ['an argument of a wrapped program is no line', 'env npm run sh check.sh', undefined],
];

describe('a command', () => {
  for (const [why, line, expected] of CASES)
    test(why, () => assert.equal(shellInCommand(line.split(/(?<!\\) /)), expected));
});
