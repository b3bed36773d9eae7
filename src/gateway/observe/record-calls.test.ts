import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import { recordCalls } from './record-calls.ts';
import type { CallRecord } from './record-calls.ts';

function call(number: number): CallRecord {
  return {
    at: at(0),
    call: { number, wire: 'anthropic', kind: 'main', conversation: 'c', model: 'm' },
    path: '/v1/messages',
    request: '{}',
    status: 200,
    end: 'answered',
    answer: null,
  };
}
const redact = (text: string): Promise<string> => Promise.resolve(text);

test('calls that come faster than they can be written are left out and counted', async () => {
  const gate = Promise.withResolvers<void>();
  const recording = recordCalls({ redact, write: () => gate.promise, queueMax: 2 });
  const taken = [1, 2, 3, 4, 5].map((number) => recording.record(call(number)));
  gate.resolve();
  const { written, leftOut } = await recording.close();
  assert.equal(written, taken.filter(Boolean).length);
  assert.equal(written + leftOut, 5);
  assert.ok(leftOut >= 2);
});

test('beyond the size limit nothing more is written', async () => {
  const lines: string[] = [];
  const write = (line: string): Promise<void> => Promise.resolve(void lines.push(line));
  const recording = recordCalls({ redact, write, bytesMax: 500 });
  for (const number of [1, 2, 3, 4, 5]) recording.record(call(number));
  const { written, leftOut } = await recording.close();
  assert.equal(written + leftOut, 5);
  assert.ok(written >= 1 && lines.join('').length <= 500);
});

test('a disk error ends the recording, and closing reports it', async () => {
  const full = new Error('no space left');
  const recording = recordCalls({ redact, write: () => Promise.reject(full) });
  recording.record(call(1));
  assert.equal((await recording.close()).failure, full);
  assert.equal(recording.record(call(2)), false);
});
