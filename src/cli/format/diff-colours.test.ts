import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CliContext } from '../cli-context.ts';
import { colourDiff } from './diff-colours.ts';

const DIFF = `# applied 1 file

diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,2 +1,2 @@
 same
--- a removed line
+added
`;

function inColour(colour: boolean): CliContext {
  return { terminal: { isTty: true, width: 80, colour } } as unknown as CliContext;
}

test('a diff has the colors of git, and a removed line is never a header', () => {
  const codes = colourDiff(inColour(true), DIFF)
    .split('\n')
    // oxlint-disable-next-line no-control-regex -- the colors are the point
    .map((line) => /^\u001B\[(\d+)m/.exec(line)?.[1] ?? '');
  assert.deepEqual(codes, ['33', '', '1', '1', '1', '36', '', '31', '32', '']);
});

test('a diff has no colors if the terminal has none', () => {
  assert.equal(colourDiff(inColour(false), DIFF), DIFF);
});
