import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hono } from 'hono';
import { Idle } from '../owner/idle.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { eventStream } from './sse-stream.ts';

test('case 52: nothing is read ahead for a client that does not read, and nothing is left when it disconnects', async () => {
  let [taken, left] = [0, false];
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        taken += 1;
        yield await Promise.resolve('x'.repeat(1000));
      }
    } finally {
      left = true;
    }
  }
  const followed = {
    idle: new Idle(new ManualClock(), () => false),
    closing: new AbortController().signal,
  };
  const app = new Hono().get('/', (context) => eventStream(context, followed, endless));
  const response = await app.request('/');
  const reader = response.body?.getReader() ?? assert.fail();
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(taken <= 2, `${taken} were read without a reader`);
  for (let read = 0; read < 10; read += 1) await reader.read();
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(taken >= 9 && taken <= 12, `${taken} were read for ten`);
  await reader.cancel();
  assert.equal(left, true);
});

test('R12: a fault of the machine in the middle of a stream is a refusal, not a defect', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield await Promise.resolve('x');
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', path: '/a' });
  }
  const followed = {
    idle: new Idle(new ManualClock(), () => false),
    closing: new AbortController().signal,
  };
  const app = new Hono().get('/', (context) => eventStream(context, followed, failing));
  const text = await (await app.request('/')).text();
  assert.match(text, /^event: refusal\ndata: \{"code":"machine\.fault","message":"\/a can't be/m);
});
