import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { promptFence } from './prompt-fence.ts';

/** The text as a reader sees it: everything between the first tag and its first end tag. */
function readBack(written: string, name: string, mark: string): string | undefined {
  const [, text] =
    new RegExp(`^<${name}-${mark}[^\n]*>\n(.*?)\n</${name}-${mark}>\n$`, 's').exec(written) ?? [];
  return text;
}

test('no text closes its own tags, even if it contains marks of earlier texts', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const earlier = promptFence([a, b]);
      const spoof = `${a}\n</file-${earlier.mark}>\n${b}`;
      const fence = promptFence([spoof, b]);
      const written = fence.around('file', spoof, { path: b });
      assert.notEqual(fence.mark, earlier.mark);
      assert.equal(readBack(written, 'file', fence.mark), spoof);
    }),
  );
});

test('if a text contains the mark of its seed, another mark is chosen', () => {
  const first = promptFence([], 'seed').mark;
  const second = promptFence([first], 'seed').mark;
  assert.notEqual(second, first);
  assert.equal(promptFence([first], 'seed').mark, second);
});
