import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { parseSseFrame, readSseFrames } from './sse-reader.ts';
import type { SseFrame } from './sse-reader.ts';

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

describe('server-sent events', () => {
  test('are the same frames however the bytes are split', async () => {
    const frame = fc.record({
      event: fc.constantFrom('message', 'end', 'refusal'),
      data: fc.json(),
      comment: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(frame, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
        async (given, sizes) => {
          const text = given
            .map(({ event, data, comment }) => {
              const words = comment ? ': still here\n\n' : '';
              const name = event === 'message' ? '' : `event: ${event}\n`;
              return `${words}${name}data: ${data}\n\n`;
            })
            .join('');
          const bytes = Buffer.from(text);
          const chunks: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          const read: SseFrame[] = [];
          for await (const one of readSseFrames(streamOf(chunks))) read.push(one);
          assert.deepEqual(
            read,
            given.map(({ event, data }) => ({ event, data })),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  test('an incomplete frame is dropped', async () => {
    const read: SseFrame[] = [];
    for await (const one of readSseFrames(streamOf([Buffer.from('data: 1\n\ndata: 2\n')])))
      read.push(one);
    assert.deepEqual(read, [{ event: 'message', data: '1' }]);
  });

  const cases: [why: string, text: string, frame: SseFrame | undefined][] = [
    ['a comment is nothing', ': following', undefined],
    ['an event without data is nothing', 'event: end', undefined],
    ['data alone is a message', 'data: {"a":": b"}', { event: 'message', data: '{"a":": b"}' }],
    ['a named event keeps its name', 'event: end\ndata: {}', { event: 'end', data: '{}' }],
  ];
  for (const [why, text, frame] of cases) {
    test(why, () => assert.deepEqual(parseSseFrame(text), frame));
  }
});
