import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrustedFileState } from './describe-changes.ts';
import { describeChanges } from './describe-changes.ts';
import { unifiedDiff } from './unified-diff.ts';

const file = (path: string, text: string | undefined, mode = 0o644): TrustedFileState => ({
  path,
  kind: 'file',
  mode,
  digest: String(text),
  text,
});

test('a diff shows the lines around a change', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
  assert.deepEqual(unifiedDiff(before, before.replace('e', 'E')), [
    '@@ -2 +2 @@',
    ' b',
    ' c',
    ' d',
    '-e',
    '+E',
    ' f',
    ' g',
    ' h',
  ]);
});

test('a diff marks a missing newline, and is empty for equal texts', () => {
  assert.deepEqual(unifiedDiff('a\n', 'a\n'), []);
  assert.deepEqual(unifiedDiff('', 'a'), ['@@ -1 +1 @@', '+a (no newline at the end)']);
});

test('a text that is too long to compare is shown as replaced', () => {
  const [a, b] = ['a', 'b'].map((letter) => `${letter}\n`.repeat(3000));
  const lines = unifiedDiff(a ?? '', b ?? '');
  assert.equal(lines.length, 6001);
});

test('changes list added, changed and removed files, also without a text', () => {
  const before = [file('a', 'x\n'), file('b', 'y\n'), file('same', 's\n')];
  const after = [file('b', 'z\n', 0o755), file('c', undefined), file('same', 's\n')];
  assert.deepEqual(describeChanges(before, after), [
    { path: 'a', what: 'removed', note: '', lines: ['@@ -1 +1 @@', '-x'] },
    { path: 'b', what: 'changed', note: 'mode 644 → 755', lines: ['@@ -1 +1 @@', '-y', '+z'] },
    { path: 'c', what: 'added', note: 'not shown: not text, or too long', lines: [] },
  ]);
});
