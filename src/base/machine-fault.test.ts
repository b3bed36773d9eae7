import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { machineFault } from './machine-fault.ts';

function errno(code: string, more: object = {}): Error {
  return Object.assign(new Error(`${code}: it failed`), { code, ...more });
}

describe('an error of the machine (R12)', () => {
  for (const [code, words] of [
    ['ENOSPC', /the disk is full, or has no inodes left \(ENOSPC\)/],
    ['EFBIG', /no file may become that large in this shell \(EFBIG\)/],
    ['EIO', /the disk reports an error \(EIO\)/],
    ['EROFS', /the file system is read-only \(EROFS\)/],
    ['EMFILE', /this process has too many files open \(EMFILE\)/],
    ['ENFILE', /this machine has too many files open \(ENFILE\)/],
    ['EDQUOT', /your quota on this disk is used up \(EDQUOT\)/],
  ] as const)
    test(`${code} becomes a refusal with its path, its cause and a remedy`, () => {
      const refusal = machineFault(errno(code, { path: '/home/me/.supervisor/x' }));
      assert.match(refusal?.message ?? '', /^\/home\/me\/\.supervisor\/x can't be used: /);
      assert.match(refusal?.message ?? '', words);
      assert.ok((refusal?.data.hint ?? '').length > 10);
    });

  test('is found as the cause of another error', () => {
    const error = new Error('run a broke', { cause: new Error('deeper', { cause: errno('EIO') }) });
    assert.equal(machineFault(error)?.data.code, 'machine.fault');
  });

  test('is not a refusal if the user cannot fix it', () => {
    for (const error of [errno('ENOENT'), new TypeError('a bug'), 'text', undefined])
      assert.equal(machineFault(error), undefined);
  });
});
