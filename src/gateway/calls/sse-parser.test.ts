import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { SseEvents } from './sse-parser.ts';

function read(text: string, cuts: readonly number[] = [], charsMax?: number): readonly string[] {
  const bytes = Buffer.from(text);
  const events = new SseEvents(charsMax);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b)];
  const seen = edges.flatMap((edge, at) => events.push(bytes.subarray(edge, edges[at + 1])));
  return [...seen, ...events.end()];
}

describe('events', () => {
  const cases: [why: string, text: string, events: string[]][] = [
    ['are the values of data lines', 'event: x\ndata: one\n\ndata:two\n\n', ['one', 'two']],
    ['may have several lines', 'data: one\ndata: two\n\n', ['one\ntwo']],
    ['may end their lines with CRLF', 'data: one\r\n\r\ndata: two\r\n\r\n', ['one', 'two']],
    ['may lack the final empty line', 'data: one\n\ndata: two', ['one', 'two']],
    ['are not comments, ids or nothing', ': hello\nid: 7\n\n\n\n', []],
    ['are not web pages', '<!doctype html><html>\n\n</html>', []],
  ];
  for (const [why, text, events] of cases) test(why, () => assert.deepEqual(read(text), events));

  test('are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme', maxLength: 20 }).filter((data) => !/[\r\n]/.test(data)),
        ),
        fc.array(fc.nat(1000), { maxLength: 10 }),
        (datas, cuts) => {
          const text = datas.map((data) => `data: ${data}\n\n`).join('');
          assert.deepEqual(
            read(text, cuts),
            datas.map((data) => data.toWellFormed()),
          );
        },
      ),
    );
  });

  test('that are too long are skipped, and the next ones are read', () => {
    const long = 'x'.repeat(200);
    assert.deepEqual(read(`data: ${long}\n\ndata: next\n\n`, [50], 100), ['next']);
    assert.deepEqual(read(`${'data: 12345678901234567890\n'.repeat(9)}\ndata: next\n\n`, [], 100), [
      'next',
    ]);
  });

  test('of random bytes never throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (noise) => void new SseEvents().push(noise)),
    );
  });
});
