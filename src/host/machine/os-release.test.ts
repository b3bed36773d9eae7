import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OsRelease } from './os-release.ts';
import { parseOsRelease, readOsRelease } from './os-release.ts';

describe('an os-release file', () => {
  const texts: [why: string, text: string, expected: OsRelease | undefined][] = [
    ['only an id', 'ID=arch', { id: 'arch', like: [], name: 'arch' }],
    [
      'a descendant, with quotes',
      '# made by hand\nPRETTY_NAME="Linux Mint 22"\r\nID=linuxmint\nID_LIKE="ubuntu  debian"\n',
      { id: 'linuxmint', like: ['ubuntu', 'debian'], name: 'Linux Mint 22' },
    ],
    ['an escape', 'ID=x\nPRETTY_NAME="a \\"b\\" \\$c"', { id: 'x', like: [], name: 'a "b" $c' }],
    ['no id', 'NAME=nobody', undefined],
    ['no assignments', 'hello\n=\n', undefined],
  ];
  for (const [why, text, expected] of texts) {
    test(why, () => assert.deepEqual(parseOsRelease(text), expected));
  }

  test('a system without the file has no release', async () => {
    assert.equal(await readOsRelease('/no/such/file'), undefined);
  });
});
