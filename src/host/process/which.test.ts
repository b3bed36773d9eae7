import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { which } from './which.ts';

describe('finding a program', () => {
  const here = new Set(['/a/tool', '/b/tool', '/b/other', 'tool', 'a/tool', '../a/tool']);
  const cases: [why: string, name: string, path: string | undefined, found: string | undefined][] =
    [
      ['the first folder that has it', 'tool', '/none:/a:/b', '/a/tool'],
      ['the only one that has it', 'other', '/a:/b', '/b/other'],
      ['none has it', 'missing', '/a:/b', undefined],
      ['no PATH', 'tool', undefined, undefined],
      ['case 38: an empty entry is no folder', 'tool', '::', undefined],
      ['case 38: nor is one that depends on where we are', 'tool', '.:a:../a:/b', '/b/tool'],
      ['a path is used as it is', '/b/tool', '/a', '/b/tool'],
      ['no name', '', '/a', undefined],
    ];
  for (const [why, name, path, found] of cases) {
    test(why, () =>
      assert.equal(
        which(name, { PATH: path }, (one) => here.has(one)),
        found,
      ),
    );
  }

  test('on a real disk, a folder and a file that is not executable are skipped', async () => {
    await using folder = await tempDir();
    const at = (name: string) => join(folder.path, name);
    await mkdir(at('one/tool'), { recursive: true });
    await mkdir(at('two'));
    await writeFile(at('two/tool'), '', { mode: 0o644 });
    await mkdir(at('three'));
    await writeFile(at('three/tool'), '', { mode: 0o755 });
    const PATH = ['one', 'two', 'three'].map(at).join(':');
    assert.equal(which('tool', { PATH }), at('three/tool'));
  });
});
