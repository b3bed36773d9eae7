import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { readStdin, stdinReader } from './read-stdin.ts';

describe('standard input', () => {
  test('of a terminal is announced, because the command waits for it, and that of a pipe is not', async () => {
    for (const [isTTY, told] of [
      [true, ['Reading the text from the terminal. End it with Ctrl-D.\n']],
      [false, []],
    ] as const) {
      const seen: string[] = [];
      const stream = Object.assign(Readable.from(['fix it']), { isTTY });
      assert.equal(await stdinReader(stream, (text) => void seen.push(text))(), 'fix it');
      assert.deepEqual(seen, told);
    }
  });

  test('is read to its end, also if a character is cut in two', async () => {
    const bytes = Buffer.from('fix é 🚀');
    const chunks = [...bytes].map((byte) => Buffer.from([byte]));
    assert.equal(await readStdin(Readable.from(chunks)), 'fix é 🚀');
    assert.equal(await readStdin(Readable.from([])), '');
  });

  test('that never ends is refused after the bound, and not read further', async () => {
    let read = 0;
    const endless = async function* (): AsyncGenerator<Buffer> {
      for (;;) {
        read += 1;
        yield Buffer.from('y\n'.repeat(500));
      }
    };
    await assert.rejects(
      readStdin(endless(), 10_000),
      (error) => isRefusal(error, 'usage.invalid') && /more than 10000 bytes/.test(error.message),
    );
    assert.equal(read, 11);
  });

  test('that is no text is refused', async () => {
    await assert.rejects(
      readStdin(Readable.from([Buffer.from('a\0b')])),
      (error) => isRefusal(error, 'usage.invalid') && /NUL byte/.test(error.message),
    );
  });
});
