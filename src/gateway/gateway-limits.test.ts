import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import {
  askAt,
  factsOf,
  gatewayHarness,
  SECRET,
  serve,
  strictModel,
  WIRES,
} from '../../test/support/gateway-harness.ts';
import type { GatewayHarness } from '../../test/support/gateway-harness.ts';
import type { Fault } from '../testing/model-server/model-faults.ts';
import type { WireName } from './wires/wire.ts';

const ended = (harness: GatewayHarness, count: number): Promise<void> =>
  eventually(`${count} calls ended`, () => factsOf(harness, 'call-ended').length >= count);

describe('a refusal of the provider', () => {
  const minute: Fault = { kind: 'rate-limit', retryAfterS: 3600 };
  const cases: [
    wire: WireName,
    fault: Fault,
    cause: string,
    decisive: boolean,
    retryAt: number | null,
  ][] = [
    ['anthropic', { kind: 'unauthorized' }, 'auth', true, null],
    ['anthropic', { kind: 'forbidden' }, 'forbidden', true, null],
    ['anthropic', minute, 'rate-limit', true, 3_600_000],
    ['anthropic', { kind: 'usage-limit', retryAfterS: 7200 }, 'quota', true, 7_200_000],
    ['anthropic', { kind: 'credit' }, 'quota', true, null],
    ['anthropic', { kind: 'overloaded' }, 'overloaded', false, null],
    ['anthropic', { kind: 'server-error' }, 'server-error', false, null],
    ['anthropic', { kind: 'context-overflow' }, 'context-overflow', false, null],
    ['anthropic', { kind: 'model-not-found' }, 'model-not-found', false, null],
    ['openai-responses', { kind: 'bad-key' }, 'auth', true, null],
    ['openai-responses', minute, 'rate-limit', true, 3_600_000],
    ['openai-responses', { kind: 'quota' }, 'quota', true, null],
    ['openai-responses', { kind: 'usage-limit', retryAfterS: 7200 }, 'quota', true, 7_200_000],
    ['openai-chat', { kind: 'unavailable' }, 'overloaded', false, null],
    ['openai-chat', { kind: 'credit' }, 'quota', true, null],
    ['gemini', { kind: 'bad-key' }, 'auth', true, null],
    ['gemini', minute, 'rate-limit', true, 3_600_000],
    ['gemini', { kind: 'quota', retryAfterS: 40_000 }, 'quota', true, 40_000_000],
    ['gemini', { kind: 'forbidden' }, 'forbidden', true, null],
  ];
  for (const [wire, fault, cause, decisive, retryAt] of cases)
    test(`${fault.kind} of ${wire} is reported as ${cause} and forwarded unchanged`, async () => {
      await using server = await strictModel({ faults: [{ fault }] });
      await using harness = await gatewayHarness(server.url);
      const answer = await harness.ask(wire);
      const body = await answer.text();
      const direct = await askAt(server.url, wire, true, { token: SECRET });
      assert.deepEqual([answer.status, body], [direct.status, await direct.text()]);
      const [report] = factsOf(harness, 'provider-refused');
      assert.deepEqual(
        [report?.refusal.cause, report?.decisive, report?.refusal.retryAt, report?.refusal.status],
        [cause, decisive, retryAt, answer.status],
      );
    });

  test('of a side call decides nothing', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'unauthorized' }, on: ['side'] }],
    });
    await using harness = await gatewayHarness(server.url);
    await (await harness.ask('anthropic')).text(); // so that the model that works is known
    await (await harness.ask('anthropic', true, { body: { tools: [] } })).text();
    assert.deepEqual(
      factsOf(harness, 'provider-refused').map(({ call, decisive }) => [call.kind, decisive]),
      [['side', false]],
    );
  });

  test('of a model that does not do the work decides nothing', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'unauthorized' } }] });
    await using harness = await gatewayHarness(server.url, { model: 'gpt-5.4' });
    await (await harness.ask('openai-responses')).text();
    assert.deepEqual(
      factsOf(harness, 'provider-refused').map(({ decisive }) => decisive),
      [false],
    );
  });

  test('inside a stream is reported as well', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'error-event', problem: 'rate-limit' } }],
    });
    await using harness = await gatewayHarness(server.url);
    for (const wire of WIRES) await (await harness.ask(wire)).text();
    await ended(harness, 4);
    assert.deepEqual(
      factsOf(harness, 'provider-refused').map(({ refusal }) => refusal.cause),
      ['rate-limit', 'rate-limit', 'rate-limit', 'rate-limit'],
    );
    assert.deepEqual(factsOf(harness, 'turn'), []);
  });
});

describe('a short wait', () => {
  for (const wire of WIRES)
    test(`is held for the agent (${wire})`, async () => {
      const fault: Fault = { kind: 'rate-limit', retryAfterS: 20 };
      await using server = await strictModel({ faults: [{ fault, times: 2 }] });
      await using harness = await gatewayHarness(server.url);
      const pending = harness.ask(wire);
      for (const held of [1, 2]) {
        await eventually('it is held', () => factsOf(harness, 'call-held').length === held);
        await harness.clock.advance(19_999);
        assert.equal(server.journal().length, held);
        await harness.clock.advance(1);
      }
      const answer = await pending;
      assert.equal(answer.status, 200);
      await answer.text();
      await ended(harness, 1);
      assert.deepEqual(
        factsOf(harness, 'call-held').map(({ waitMs }) => waitMs),
        [20_000, 20_000],
      );
      assert.deepEqual(factsOf(harness, 'provider-refused'), []);
      assert.equal(factsOf(harness, 'call-ended')[0]?.ms, 40_000);
    });

  test('that comes again and again is forwarded once the retry time is used up', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'rate-limit', retryAfterS: 25 } }],
    });
    await using harness = await gatewayHarness(server.url);
    const pending = harness.ask('anthropic');
    for (const held of [1, 2]) {
      await eventually('it is held', () => factsOf(harness, 'call-held').length === held);
      await harness.clock.advance(25_000);
    }
    // The gateway began the answer early by then.
    assert.match(await (await pending).text(), /^event: error\ndata: .*rate_limit_error/m);
    assert.equal(factsOf(harness, 'provider-refused')[0]?.decisive, true);
  });

  test('of zero seconds does not cause a retry storm', async () => {
    let requests = 0;
    await using server = await serve((_request, response) => {
      requests += 1;
      response.writeHead(429, { 'retry-after': '0' }).end('{}');
    });
    await using harness = await gatewayHarness(server.url, { limitPatienceMs: 3000 });
    const answer = harness.ask('anthropic');
    for (const held of [1, 2, 3]) {
      await eventually('it is held', () => factsOf(harness, 'call-held').length === held);
      await harness.clock.advance(1000);
    }
    assert.equal((await answer).status, 429);
    assert.equal(requests, 4);
  });

  test('ends when the agent disconnects', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'rate-limit', retryAfterS: 20 } }],
    });
    await using harness = await gatewayHarness(server.url);
    const disconnect = new AbortController();
    const pending = harness.ask('anthropic', true, { signal: disconnect.signal });
    await eventually('it is held', () => factsOf(harness, 'call-held').length === 1);
    disconnect.abort();
    await assert.rejects(pending);
    await ended(harness, 1);
    assert.equal(factsOf(harness, 'call-ended')[0]?.end, 'disconnected');
  });
});

function windowsWith(used: string): Record<string, string> {
  return {
    'anthropic-ratelimit-unified-5h-utilization': used,
    'anthropic-ratelimit-unified-5h-reset': '7200',
    'anthropic-ratelimit-unified-7d-utilization': '0.2',
  };
}

describe('a usage window', () => {
  test('is reported when it changes, with how little is left', async () => {
    let used = '0.5';
    await using server = await strictModel({
      script: () => ({ text: 'Hi.', headers: windowsWith(used) }),
    });
    await using harness = await gatewayHarness(server.url);
    for (used of ['0.5', '0.5', '0.95', '1']) await (await harness.ask('anthropic')).text();
    assert.deepEqual(
      factsOf(harness, 'usage-windows').map(({ status, windows }) => [
        status,
        windows[0]?.usedPercent,
      ]),
      [
        ['ok', 50],
        ['quota-low', 95],
        ['quota-exhausted', 100],
      ],
    );
  });
});
