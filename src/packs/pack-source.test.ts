import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { PackSource } from './pack-source.ts';
import { parsePackSource } from './pack-source.ts';

const npm = (name: string, version = 'latest'): PackSource => ({ kind: 'npm', name, version });
const git = (url: string, ref = 'HEAD'): PackSource => ({ kind: 'git', url, ref });

describe('what names a pack', () => {
  const known: readonly [typed: string, source: PackSource][] = [
    ['keys-pack', npm('keys-pack')],
    ['keys-pack@1.2.0', npm('keys-pack', '1.2.0')],
    ['@team/keys@next', npm('@team/keys', 'next')],
    ['git+https://example.com/a/b.git#v1', git('https://example.com/a/b.git', 'v1')],
    ['git+ssh://git@example.com/a.git', git('ssh://git@example.com/a.git')],
    ['./keys-1.0.0.tgz', { kind: 'file', path: '/here/keys-1.0.0.tgz' }],
  ];
  for (const [typed, source] of known)
    test(`is understood: ${typed}`, () =>
      assert.deepEqual(parsePackSource(typed, '/here'), source));

  const refused: readonly string[] = [
    ...['', '-g', '--registry=http://evil', 'a b', '../x', 'keys@', 'keys@>=1', 'keys@file:../x'],
    ...['git+ext::sh -c true', 'git+http://example.com/a', 'git+https://a/b#--upload-pack=x'],
    ...['git+https://a/b#a..b', 'git+git://example.com/a', 'https://example.com/a.tgz', 'Keys'],
  ];
  for (const typed of refused)
    test(`is refused: ${JSON.stringify(typed)}`, () =>
      assert.throws(
        () => parsePackSource(typed, '/here'),
        (error) => isRefusal(error) && error.data.code === 'usage.invalid',
      ));
});
