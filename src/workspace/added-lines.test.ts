import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseAddedLines } from './added-lines.ts';

const CASES: readonly (readonly [why: string, diff: string, expected: string])[] = [
  ['no change has no lines', '', ''],
  [
    'a new file is new in every line',
    'diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n',
    'a 1,2',
  ],
  [
    'changed lines of two places are listed',
    'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+z\n@@ -5,0 +6,2 @@\n+p\n+q\n',
    'a 1,6,7',
  ],
  [
    'a place that only lost lines has none',
    'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -3,2 +2,0 @@\n-x\n-y\n',
    'a ',
  ],
  [
    'lines that look like a header are text',
    'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1,2 @@\n+++ b/other\n+@@ -1 +9 @@\ndiff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n',
    'a 1,2; b 1',
  ],
  [
    'a name that git quotes is left out',
    'diff --git "a/\\n" "b/\\n"\n--- /dev/null\n+++ "b/\\n"\n@@ -0,0 +1 @@\n+x\n',
    '',
  ],
];

describe('the added lines of a diff', () => {
  for (const [why, diff, expected] of CASES)
    test(why, () => {
      const found = [...parseAddedLines(diff)].map(([path, lines]) => `${path} ${lines.join(',')}`);
      assert.equal(found.join('; '), expected);
    });
});
