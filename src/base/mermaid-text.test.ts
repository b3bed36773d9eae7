import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mermaidText } from './mermaid-text.ts';

describe('the label of a diagram', () => {
  const cases: [why: string, text: string, label: string][] = [
    ['is one line', 'a\n  b\tc', 'a b c'],
    ['ends no label and opens no tag', '"]<b>&', '&quot;]&lt;b&gt;&amp;'],
    ['controls no terminal', 'a\u001B]0;b\u0007', String.raw`a\x1b]0;b\x07`],
  ];
  for (const [why, text, label] of cases) test(why, () => assert.equal(mermaidText(text), label));
});
