import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { relativePathsIn, relativeWorkPaths } from './work-paths.ts';

const WORK = '/home/ann/.supervisor/projects/0a1b/trees/1a2b3c/1/work';

describe('paths of an attempt', () => {
  const cases: [text: string, expected: string][] = [
    [`${WORK}/src/a.ts`, 'src/a.ts'],
    [`cat ${WORK}/a.ts "${WORK}/b.ts"`, 'cat a.ts "b.ts"'],
    [`cd ${WORK} && npm test`, 'cd . && npm test'],
    [WORK, '.'],
    [`${WORK}shop/a.ts`, `${WORK}shop/a.ts`],
    ['/home/ann/work/a.ts', '/home/ann/work/a.ts'],
    // Half a path would mislead.
    [`cat /home/ann b${WORK}/a.ts`, `cat /home/ann b${WORK}/a.ts`],
  ];
  for (const [text, expected] of cases)
    test(text, () => assert.equal(relativeWorkPaths(text), expected));
});

describe('paths in the output of a gate', () => {
  const cases: [text: string, expected: string][] = [
    ['at (file:///s/work/cart.test.js:5:38)', 'at (cart.test.js:5:38)'],
    ['File "/s/work/test_a.py", line 8', 'File "test_a.py", line 8'],
    ['rootdir: /s/work', 'rootdir: .'],
  ];
  for (const [text, expected] of cases)
    test(text, () => assert.equal(relativePathsIn(text, '/s/work'), expected));
});
