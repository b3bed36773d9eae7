import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findHiddenFile } from './hidden-files.ts';

const FILES = ['/home/me/bin/check.sh', '/home/me/shop/check.sh', '/usr/bin/node', '/data/x.csv'];
const SIGHT = {
  project: '/home/me/shop',
  userDir: '/home/me',
  shown: ['/data'],
  isFile: (path: string): boolean => FILES.includes(path),
};

const table: readonly (readonly [
  why: string,
  command: readonly string[],
  found: string | undefined,
])[] = [
  ['a program of the system is visible', ['/usr/bin/node', 'a.js'], undefined],
  ['a program with its whole path is shown', ['/home/me/bin/check.sh'], undefined],
  ['its script is not', ['sh', '/home/me/bin/check.sh'], 'outside'],
  ['nor is a program that a shell starts', ['sh', '-c', '/home/me/bin/check.sh -v'], 'outside'],
  ['nor is it behind an operator', ['sh', '-c', 'true&&/home/me/bin/check.sh'], 'outside'],
  ['a shell replaces ~', ['sh', '-c', 'sh ~/bin/check.sh'], 'outside'],
  ['nothing else does', ['sh', '~/bin/check.sh'], 'tilde'],
  ['not even for the program', ['~/bin/check.sh'], 'tilde'],
  ['the copy of the project has another path', ['sh', '/home/me/shop/check.sh'], 'in-project'],
  ['a path in the project is found', ['sh', './check.sh'], undefined],
  ['a file in a mounted folder is visible', ['grep', 'a', '/data/x.csv'], undefined],
  ['a file that does not exist may be one that the command makes', ['sh', '/tmp/new'], undefined],
];

describe('a file that a command names', () => {
  for (const [why, command, found] of table)
    it(why, () => assert.equal(findHiddenFile(command, SIGHT)?.why, found));
});
