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

const ended = (rig: GatewayHarness, count: number): Promise<void> =>
  eventually(`${count} calls ended`, () => factsOf(rig, 'call-ended').length >= count);

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
    test(`${fault.kind} of ${wire} is told as ${cause} and passed on as it is`, async () => {
      await using server = await strictModel({ faults: [{ fault }] });
      await using rig = await gatewayHarness(server.url);
      const answer = await rig.ask(wire);
      const body = await answer.text();
      const direct = await askAt(server.url, wire, true, { token: SECRET });
      assert.deepEqual([answer.status, body], [direct.status, await direct.text()]);
      const [told] = factsOf(rig, 'provider-refused');
      assert.deepEqual(
        [told?.refusal.cause, told?.decisive, told?.refusal.retryAt, told?.refusal.status],
        [cause, decisive, retryAt, answer.status],
      );
    });

  test('on the side decides nothing', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'unauthorized' }, on: ['side'] }],
    });
    await using rig = await gatewayHarness(server.url);
    await (await rig.ask('anthropic')).text(); // so that the model that works is known
    await (await rig.ask('anthropic', true, { body: { tools: [] } })).text();
    assert.deepEqual(
      factsOf(rig, 'provider-refused').map(({ call, decisive }) => [call.kind, decisive]),
      [['side', false]],
    );
  });

  test('of another model than the one that works decides nothing', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'unauthorized' } }] });
    await using rig = await gatewayHarness(server.url, { model: 'gpt-5.4' });
    await (await rig.ask('openai-responses')).text();
    assert.deepEqual(
      factsOf(rig, 'provider-refused').map(({ decisive }) => decisive),
      [false],
    );
  });

  test('inside a stream is told as well', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'error-event', problem: 'rate-limit' } }],
    });
    await using rig = await gatewayHarness(server.url);
    for (const wire of WIRES) await (await rig.ask(wire)).text();
    await ended(rig, 4);
    assert.deepEqual(
      factsOf(rig, 'provider-refused').map(({ refusal }) => refusal.cause),
      ['rate-limit', 'rate-limit', 'rate-limit', 'rate-limit'],
    );
    assert.deepEqual(factsOf(rig, 'turn'), []);
  });
});

describe('a short wait', () => {
  for (const wire of WIRES)
    test(`is held for the agent (${wire})`, async () => {
      const fault: Fault = { kind: 'rate-limit', retryAfterS: 20 };
      await using server = await strictModel({ faults: [{ fault, times: 2 }] });
      await using rig = await gatewayHarness(server.url);
      const asked = rig.ask(wire);
      for (const held of [1, 2]) {
        await eventually('it is held', () => factsOf(rig, 'call-held').length === held);
        await rig.clock.advance(19_999);
        assert.equal(server.journal().length, held);
        await rig.clock.advance(1);
      }
      const answer = await asked;
      assert.equal(answer.status, 200);
      await answer.text();
      await ended(rig, 1);
      assert.deepEqual(
        factsOf(rig, 'call-held').map(({ waitMs }) => waitMs),
        [20_000, 20_000],
      );
      assert.deepEqual(factsOf(rig, 'provider-refused'), []);
      assert.equal(factsOf(rig, 'call-ended')[0]?.ms, 40_000);
    });

  test('that comes again and again is passed on once patience is at its end', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'rate-limit', retryAfterS: 25 } }],
    });
    await using rig = await gatewayHarness(server.url);
    const asked = rig.ask('anthropic');
    for (const held of [1, 2]) {
      await eventually('it is held', () => factsOf(rig, 'call-held').length === held);
      await rig.clock.advance(25_000);
    }
    // It was begun early by then.
    assert.match(await (await asked).text(), /^event: error\ndata: .*rate_limit_error/m);
    assert.equal(factsOf(rig, 'provider-refused')[0]?.decisive, true);
  });

  test('of no time at all does not make a storm', async () => {
    let asked = 0;
    await using server = await serve((_request, response) => {
      asked += 1;
      response.writeHead(429, { 'retry-after': '0' }).end('{}');
    });
    await using rig = await gatewayHarness(server.url, { limitPatienceMs: 3000 });
    const answer = rig.ask('anthropic');
    for (const held of [1, 2, 3]) {
      await eventually('it is held', () => factsOf(rig, 'call-held').length === held);
      await rig.clock.advance(1000);
    }
    assert.equal((await answer).status, 429);
    assert.equal(asked, 4);
  });

  test('ends when the agent leaves', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'rate-limit', retryAfterS: 20 } }],
    });
    await using rig = await gatewayHarness(server.url);
    const left = new AbortController();
    const asked = rig.ask('anthropic', true, { signal: left.signal });
    await eventually('it is held', () => factsOf(rig, 'call-held').length === 1);
    left.abort();
    await assert.rejects(asked);
    await ended(rig, 1);
    assert.equal(factsOf(rig, 'call-ended')[0]?.end, 'left');
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
  test('is told when it changes, with how little is left', async () => {
    let used = '0.5';
    await using server = await strictModel({
      script: () => ({ text: 'Hi.', headers: windowsWith(used) }),
    });
    await using rig = await gatewayHarness(server.url);
    for (used of ['0.5', '0.5', '0.95', '1']) await (await rig.ask('anthropic')).text();
    assert.deepEqual(
      factsOf(rig, 'usage-windows').map(({ status, windows }) => [status, windows[0]?.usedPercent]),
      [
        ['ok', 50],
        ['quota-low', 95],
        ['quota-exhausted', 100],
      ],
    );
  });
});
