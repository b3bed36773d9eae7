import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { loadPrompts } from './load-prompts.ts';

type Streams = { readonly input: PassThrough; readonly output: PassThrough };

for (const [name, key] of [
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
  ['Esc', '\u001B'],
] as const)
  test(`${name} leaves every kind of question, and the cursor is shown again`, async () => {
    const { CANCEL_SYMBOL, confirm, multiselect, password, select } = await loadPrompts();
    const options = [{ value: 'yes' }, { value: 'no' }];
    const message = 'Trust it?';
    for (const ask of [
      (streams: Streams) => confirm({ message, ...streams }),
      (streams: Streams) => select({ message, options, ...streams }),
      (streams: Streams) => multiselect({ message, options, ...streams }),
      (streams: Streams) => password({ message, ...streams }),
    ]) {
      const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
      const output = new PassThrough();
      const answer = ask({ input, output });
      input.write(key);
      assert.equal(await answer, CANCEL_SYMBOL);
      const drawn = String(output.read());
      assert.ok(drawn.lastIndexOf('\u001B[?25h') > drawn.lastIndexOf('\u001B[?25l'), drawn);
    }
  });

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
