import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../client/client.ts';
import type { TakeoverInput, TakeoverItem } from '../../protocol/takeover.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { PersonScreen } from './show-terminal.ts';
import { showTerminal } from './show-terminal.ts';

const BEGUN: TakeoverItem = {
  ...{ kind: 'begun', agent: 'a', attempt: 2, program: 'conversation', instead: null },
};
const ENDED: TakeoverItem = { kind: 'ended', how: 'program-ended', exit: 0, failure: null };

function output(bytes: Uint8Array): TakeoverItem {
  return { kind: 'output', data: Buffer.from(bytes).toString('base64') };
}

/** A terminal whose keys the test presses, and an owner whose stream the test writes. */
function world() {
  const items = new BoundedQueue<TakeoverItem>(100);
  const [typed, steps]: [TakeoverInput[], string[]] = [[], []];
  let [press, resize] = [(_text: string): void => {}, (): void => {}];
  let reset = '';
  let size = { rows: 20, columns: 70 };
  const screen: PersonScreen = {
    size: () => size,
    write: (text) => void steps.push(`shows ${text}`),
    open: (_enter, leave) => {
      reset = leave;
      steps.push('opens');
    },
    close: () => void steps.push('closes'),
    onInput: (listener) => void (press = listener),
    onResize: (listener) => void (resize = listener),
  };
  let taken = Promise.resolve();
  const takeover = {
    take: () => items[Symbol.asyncIterator](),
    type: async (_run: string, input: TakeoverInput) => {
      typed.push(input);
      await taken;
    },
  };
  const ports = {
    client: { takeover } as unknown as Client,
    clock: {
      sleep: async () => {
        press('\u001B[?62;22c'); // the terminal answers a question of the program
        steps.push('settles');
        return true;
      },
    },
    ...{ screen, term: 'xterm', onBegun: () => void steps.push('begins') },
  };
  const over = showTerminal(
    'a',
    { shell: false, joins: false },
    ports,
    new AbortController().signal,
  );
  return {
    ...{ items, typed, steps, over },
    press: (text: string) => press(text),
    reset: () => reset,
    hang: () => void (taken = new Promise(() => {})),
    resizeTo: (rows: number, columns: number) => {
      size = { rows, columns };
      resize();
    },
    text: () =>
      typed
        .map((one) => ('data' in one ? Buffer.from(one.data, 'base64').toString() : ''))
        .join(''),
  };
}

test('the terminal belongs to the agent from its start to its end', async () => {
  const { items, steps, over, press, resizeTo, typed, text } = world();
  const euro = Buffer.from('€');
  for (const one of [BEGUN, output(euro.subarray(0, 1)), output(euro.subarray(1))])
    items.offer(one);
  await eventually('the screen', () => steps.includes('shows €'));
  press('h');
  press('i\r');
  await eventually('the keys', () => text() === 'hi\r');
  resizeTo(30, 90);
  await eventually('the size', () => typed.some((one) => 'rows' in one && one.rows === 30));
  items.offer(ENDED);
  assert.deepEqual(await over, ENDED);
  assert.deepEqual(steps, ['begins', 'opens', 'shows ', 'shows €', 'settles', 'closes']);
  assert.equal(text(), 'hi\r'); // the answer to a question goes nowhere
});

test('what a program may have left is undone at the end', async () => {
  const { items, over, reset } = world();
  items.offer(BEGUN);
  items.offer(ENDED);
  await over;
  const modes = ['?2026l', '!p', '4l', '?6l', 'r', '?1049l', '?1005l', '?1015l', '?1016l'];
  for (const mode of modes) assert.ok(reset().includes(`\u001B[${mode}`), mode);
});

for (const [name, keys] of [
  ['two key presses', ['\u001D', '\u001D']],
  ['one chunk', ['\u001D\u001D']],
] as const)
  test(`Ctrl-] twice leaves, as ${name}`, async () => {
    const { items, over, press, typed } = world();
    items.offer(BEGUN);
    items.offer(output(Buffer.from('x')));
    await new Promise((resolve) => setImmediate(resolve));
    for (const key of keys) press(key);
    await eventually('the leave', () => typed.some((one) => 'leave' in one));
    items.offer(ENDED);
    await over;
  });

test('Ctrl-] twice leaves also if the program takes no keys any more', async () => {
  const { items, over, press, typed, hang } = world();
  items.offer(BEGUN);
  await new Promise((resolve) => setImmediate(resolve));
  hang();
  press('a long text');
  await eventually('the text', () => typed.length > 0);
  press('\u001D');
  press('\u001D');
  await eventually('the leave', () => typed.some((one) => 'leave' in one));
  items.offer(ENDED);
  await over;
});

test('Ctrl-] with another key between is for the agent', async () => {
  const { items, over, press, text, typed } = world();
  items.offer(BEGUN);
  items.offer(output(Buffer.from('x')));
  await new Promise((resolve) => setImmediate(resolve));
  press('\u001Da\u001D');
  await eventually('the keys', () => text() === '\u001Da\u001D');
  assert.equal(
    typed.some((one) => 'leave' in one),
    false,
  );
  items.offer(ENDED);
  await over;
});
