import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { loadPrompts } from './load-prompts.ts';

test('letters move no cursor: the word cancel and Enter choose the answer that is marked', async () => {
  const { select } = await loadPrompts();
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const answer = select({
    message: 'Trust it?',
    initialValue: 'no',
    options: [{ value: 'yes' }, { value: 'no' }],
    input,
    output: new PassThrough(),
  });
  for (const key of 'cancel hjkl\r') input.write(key);
  assert.equal(await answer, 'no');
});
