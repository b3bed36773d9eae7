import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { isRefusal } from '../../base/errors.ts';
import { readGivenFile } from './read-given-file.ts';

describe('a file that a person names', () => {
  const cases: [what: string, file: string, expected: string][] = [
    ['a file', 'a.txt', 'its text'],
    ['no file', 'b.txt', 'The file b.txt does not exist.'],
    ['a path through a file', 'a.txt/b', 'The file a.txt/b does not exist.'],
    ['a folder', '.', 'The file . cannot be read: it is a folder, not a file (EISDIR).'],
    ['a pipe', 'pipe', 'The file pipe cannot be read: it is not a plain file (EINVAL).'],
    [
      'links in a circle',
      'circle',
      'The file circle cannot be read: its symbolic links lead in a circle (ELOOP).',
    ],
    ['no name', '', 'The name of the file is empty.'],
  ];
  for (const [what, file, expected] of cases)
    test(`that is ${what} is read, or refused with its name`, async () => {
      await using dir = await tempDir();
      await writeFile(join(dir.path, 'a.txt'), 'its text');
      await symlink('circle', join(dir.path, 'circle'));
      execFileSync('mkfifo', [join(dir.path, 'pipe')]);
      const hint = 'Name the output.';
      const found = await readGivenFile(dir.path, file, { bytesMax: 100, hint }).catch(
        (error: unknown) => {
          if (!isRefusal(error, 'usage.invalid')) throw error;
          assert.equal(error.data.hint, hint);
          return error.message;
        },
      );
      assert.equal(found, expected);
    });
});
