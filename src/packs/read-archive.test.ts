import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { PackEntry } from '../../test/support/pack-fixture.ts';
import { PACK, entriesOf, file, tarball } from '../../test/support/pack-fixture.ts';
import { isRefusal } from '../base/errors.ts';
import { inflate, readArchive } from './read-archive.ts';

async function read(bytes: Uint8Array): Promise<readonly string[] | string> {
  try {
    return [...(await readArchive(inflate(bytes), 'package')).keys()];
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
}

const link = (name: string, linkname: string, type: 'symlink' | 'link'): PackEntry => ({
  header: { name, linkname, size: 0, type },
});
const plain = (path: string): PackEntry => file(path, 'text\n');

describe('the archive of a pack', () => {
  test('is a list of names and texts, without what a package has anyway', async () => {
    const more = { 'package.json': '{"scripts":{"install":"touch /tmp/ran"}}', 'README.md': '#\n' };
    assert.deepEqual(await read(await tarball(entriesOf({ ...PACK, ...more }))), Object.keys(PACK));
  });

  const refused: readonly [why: string, entries: readonly PackEntry[], message: RegExp][] = [
    ['a symbolic link', [link('package/roles/a.yaml', '/etc/passwd', 'symlink')], /is a symlink/],
    ['a hard link', [link('package/roles/a.yaml', 'package/pack.yaml', 'link')], /is a link/],
    ['a way out of its folder', [plain('package/../../.bashrc')], /outside of its folder/],
    ['an absolute path', [plain('/package/roles/a.yaml')], /outside of its folder/],
    ['another first folder', [plain('other/roles/a.yaml')], /outside of its folder/],
    ['a program', [plain('package/roles/run.sh')], /a file that no pack may have/],
    ['a git hook', [plain('package/.git/hooks/post-checkout')], /a file that no pack may have/],
    ['settings', [plain('package/config.yaml')], /a file that no pack may have/],
    [
      'a name with a line break',
      [plain('package/roles/a\nb.yaml')],
      /a file that no pack may have/,
    ],
    ['a folder in the roles', [plain('package/roles/x/a.yaml')], /a file that no pack may have/],
    ['a file twice', [plain('package/roles/a.yaml'), plain('package/roles/a.yaml')], /twice/],
    ['a large file', [file('package/roles/a.yaml', 'x'.repeat(60_001))], /larger than 60 kB/],
    ['bytes', [file('package/roles/a.yaml', new Uint8Array([0xff, 0xfe]))], /is not text/],
    [
      'too many files',
      Array.from({ length: 201 }, (_, nth) => plain(`package/roles/r${nth}.yaml`)),
      /more than 200 files/,
    ],
  ];
  for (const [why, entries, message] of refused)
    test(`is refused with ${why}`, async () => {
      const found = await read(await tarball([...entriesOf(PACK), ...entries]));
      assert.ok(typeof found === 'string', `it was read: ${String(found)}`);
      assert.match(found, message);
    });

  test('is refused if it is none, is cut off, has no manifest, or unfolds to too much', async () => {
    const whole = await tarball(entriesOf(PACK));
    assert.match(String(await read(Buffer.from('hello'))), /no archive/);
    assert.match(String(await read(gzipSync(inflate(whole).subarray(0, 700)))), /damaged/);
    assert.match(String(await read(await tarball([plain('package/README.md')]))), /no pack\.yaml/);
    assert.match(String(await read(gzipSync(Buffer.alloc(9_000_000)))), /larger than 8 MB/);
  });
});
