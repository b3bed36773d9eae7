import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callSignature, outputMark } from './call-signature.ts';

const run = (command: string): object => ({ command });

describe('two calls are the same call', () => {
  const same: [why: string, one: unknown, other: unknown][] = [
    ['if the order of their arguments differs', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['if one wire has the arguments as text', { a: 1 }, '{"a": 1}'],
    ['if temporary paths differ', run('node /tmp/x1y2/test.js'), run('node /tmp/z9/test.js')],
    [
      'if temporary paths of a Mac differ',
      run('cat /var/folders/a/b/T/c1'),
      run('cat /private/var/folders/d/e/T/f2'),
    ],
    [
      'if times differ',
      run('log --since 2026-11-18T09:24:07Z'),
      run('log --since 2026-11-17 08:00:00'),
    ],
    ['if seconds since 1970 differ', run('touch a-1763457847'), run('touch a-1763457999')],
    [
      'if ids differ',
      run('show 550e8400-e29b-41d4-a716-446655440000'),
      run('show 123e4567-e89b-12d3-a456-426614174000'),
    ],
    ['if commit hashes differ', run('git show c13d9786'), run('git show f628363d0123')],
    ['if addresses differ', run('free 0xdeadbeef'), run('free 0xfeedface')],
    [
      'if only the remark about it differs',
      { command: 'ls', description: 'List' },
      { command: 'ls', description: 'Look' },
    ],
    [
      'if the numbers of their processes differ',
      run('Chunk ID: 23f296 Process Group PGID: 20 <shellId: 0 completed>'),
      run('Chunk ID: b01a9c Process Group PGID: 317 <shellId: 4 completed>'),
    ],
    ['if white space differs', run('npm\n  test'), run('npm test')],
  ];
  for (const [why, one, other] of same)
    test(why, () => assert.equal(callSignature('Bash', one), callSignature('Bash', other)));

  const different: [why: string, one: unknown, other: unknown][] = [
    ['not if the command differs', run('npm test'), run('npm run build')],
    ['not if a number differs', { path: 'a', line: 1 }, { path: 'a', line: 2 }],
    ['not if a word looks like a hash', run('cat defaced'), run('cat effaced')],
    [
      'not if the end of a long text differs',
      { text: `${'x'.repeat(90_000)}a` },
      { text: `${'x'.repeat(90_000)}b` },
    ],
    [
      'not if the length of a long text differs',
      { text: 'x'.repeat(90_000) },
      { text: 'x'.repeat(90_001) },
    ],
  ];
  for (const [why, one, other] of different)
    test(why, () => assert.notEqual(callSignature('Bash', one), callSignature('Bash', other)));

  test('not if the tool differs', () => {
    assert.notEqual(callSignature('Read', { path: 'a' }), callSignature('Write', { path: 'a' }));
  });
});

test('two outputs say the same if only times and durations differ', () => {
  assert.equal(
    outputMark('09:24:07 3 tests failed in 12.4s\n'),
    outputMark('09:25:59 3 tests failed in 9.81s\n'),
  );
  assert.notEqual(outputMark('3 tests failed'), outputMark('2 tests failed'));
});

test('an id says which one it is only if hardly anything else is said', () => {
  assert.notEqual(outputMark('item a1b2c3d1'), outputMark('item a1b2c3d2'));
  assert.equal(
    outputMark('no news for request a1b2c3d1'),
    outputMark('no news for request a1b2c3d2'),
  );
});

test('any input has a signature, and a large one takes no more than a moment', () => {
  const hostile = [
    undefined,
    null,
    7,
    'a'.repeat(5_000_000),
    '{'.repeat(1_000_000),
    ['0'.repeat(1_000_000)],
  ];
  for (const input of hostile) assert.match(callSignature('Bash', input), /^[\da-f]{12}$/);
});
