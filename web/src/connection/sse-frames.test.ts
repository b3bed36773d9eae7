import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadableStream } from 'node:stream/web';
import { readFrames } from './sse-frames.ts';

test('frames are read wherever the bytes are cut, and comments are left out', async () => {
  const bytes = new TextEncoder().encode(
    ': hello\n\ndata: {"a":"ä"}\n\nevent: end\ndata: {}\n\ndata: cut',
  );
  for (const size of [1, 7, 1000]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    const frames: unknown[] = [];
    for await (const frame of readFrames(ReadableStream.from(pieces) as never)) frames.push(frame);
    assert.deepEqual(frames, [
      { event: 'message', data: '{"a":"ä"}' },
      { event: 'end', data: '{}' },
    ]);
  }
});
