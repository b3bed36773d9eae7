import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDiff } from './parse-diff.ts';

const TEXT = `diff --git a/a.ts b/a.ts
index 1..2 100644
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,4 @@ function one
 same
-old
+new
+--- not a header
 last
\\ No newline at end of file
diff --git a/b c.txt b/b c.txt
new file mode 100644
--- /dev/null
+++ b/b c.txt
@@ -0,0 +1 @@
+<script>
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
--- a/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git "a/\\303\\244 \\"x\\".ts" "b/\\303\\244 \\"x\\".ts"
new file mode 100644
Binary files /dev/null and b/x differ
`;

describe('a unified diff', () => {
  const files = parseDiff(TEXT);
  test('names its files, also with spaces, quotes and other letters', () =>
    assert.deepEqual(
      files.map(({ path }) => path),
      ['a.ts', 'b c.txt', 'gone.ts', 'ä "x".ts'],
    ));
  test('numbers the lines of both sides, and takes no line of a file for a header', () =>
    assert.deepEqual(
      files[0]?.hunks[0]?.lines.map(({ kind, before, after, text }) => [kind, before, after, text]),
      [
        ['same', 1, 1, 'same'],
        ['removed', 2, null, 'old'],
        ['added', null, 2, 'new'],
        ['added', null, 3, '--- not a header'],
        ['same', 3, 4, 'last'],
        ['note', null, null, 'No newline at end of file'],
      ],
    ));
  test('says how a file changed besides its lines', () =>
    assert.deepEqual(
      files.map(({ notes, hunks }) => [notes, hunks.length]),
      [
        [[], 1],
        [['new file mode 100644'], 1],
        [['deleted file mode 100644'], 1],
        [['new file mode 100644', 'Binary files /dev/null and b/x differ'], 0],
      ],
    ));
  test('is read in linear time, whatever the names of its files are', () => {
    const [file] = parseDiff(`diff --git a/x${' "b/'.repeat(500_000)}x`);
    assert.ok((file?.path.length ?? 0) > 1_000_000);
  });
  test('that is empty has no files', () => assert.deepEqual(parseDiff(''), []));
});
