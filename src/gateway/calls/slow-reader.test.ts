import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { factsOf, gatewayHarness, serve, TOKEN } from '../../../test/support/gateway-harness.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { questionOn } from '../../testing/model-server/ask-model.ts';
import { CallSlots } from './call-slots.ts';
import { watchReader } from './slow-reader.ts';

/** Requests an answer and never reads it. */
function askAndIgnore(url: string): Socket {
  const { path, headers, body } = questionOn('anthropic', 'hello', { stream: true });
  const text = JSON.stringify(body);
  const given = { ...headers, 'x-api-key': TOKEN, 'content-length': String(text.length) };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined).pause();
  socket.write(`POST ${path} HTTP/1.1\r\nhost: gateway\r\n${lines.join('')}\r\n${text}`);
  return socket;
}

describe('answers that are not read (M4)', () => {
  test('do not block another run of the project, even with ten of them', async () => {
    const endless = Buffer.alloc(1_000_000, 'data: {}\n\n');
    await using server = await serve((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (!response.destroyed && response.write(endless));
      };
      response.on('drain', more);
      more();
    });
    await using plain = await serve((request, response) => {
      request.resume().on('end', () => response.end('{}'));
    });
    const slots = new CallSlots(10);
    await using hostile = await gatewayHarness(server.url, { slots });
    await using other = await gatewayHarness(plain.url, { slots });
    const sockets = Array.from({ length: 10 }, () => askAndIgnore(hostile.gateway.url ?? ''));
    await eventually('ten calls are under way', () => factsOf(hostile, 'call-begun').length === 10);
    const asked = other.ask('anthropic', false).then(({ status }) => status);
    await eventually('the other run waits', () => slots.waiting === 1);
    await eventually('its call is sent', async () => {
      await hostile.clock.advance(500);
      return slots.waiting === 0;
    });
    assert.equal(await asked, 200);
    for (const socket of sockets) socket.destroy();
  });

  test('count by the total time that they block a call, however often they read a little', async () => {
    const clock = new ManualClock();
    const reader = { writableNeedDrain: true };
    let slow = 0;
    const watch = watchReader(reader, clock, () => (slow += 1));
    await clock.advance(1500);
    reader.writableNeedDrain = false;
    await clock.advance(60_000);
    assert.equal(slow, 0);
    reader.writableNeedDrain = true;
    await clock.advance(500);
    await clock.advance(60_000);
    assert.equal(slow, 1);
    watch[Symbol.dispose]();
  });

  test('of one gateway wait for each other if there are too many', async () => {
    await using server = await serve((request) => void request.resume());
    const slots = new CallSlots(100);
    await using harness = await gatewayHarness(server.url, { slots, bounds: { callsMax: 2 } });
    const asked = Array.from({ length: 5 }, () => harness.ask('anthropic').catch(() => undefined));
    await eventually('two are under way', () => factsOf(harness, 'call-begun').length === 2);
    await harness.gateway.close();
    await Promise.all(asked);
    assert.equal(factsOf(harness, 'call-begun').length, 2);
  });
});
