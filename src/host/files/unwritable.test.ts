import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unwritableRefusal } from './unwritable.ts';

const errno = (code: string): Error => Object.assign(new Error(code), { code });

for (const [code, cause, hint] of [
  [
    'EACCES',
    /^a b\.txt can't be changed: you may not write there \(EACCES\)\. Nothing/,
    /chmod u\+w 'a b\.txt'/,
  ],
  ['EPERM', /the system protects it \(EPERM\)/, /chattr -i 'a b\.txt'/],
  ['EROFS', /the file system is read-only \(EROFS\)/, /Mount it for writing/],
] as const)
  test(`${code} is refused with the path and the remedy`, () => {
    const refusal = unwritableRefusal(errno(code), 'a b.txt', 'Nothing was applied.');
    assert.match(refusal?.data.message ?? '', cause);
    assert.match(refusal?.data.hint ?? '', hint);
  });

test('another error stays what it is', () => {
  assert.equal(unwritableRefusal(errno('EIO'), 'a', ''), undefined);
  assert.equal(unwritableRefusal(new TypeError('a bug'), 'a', ''), undefined);
});
