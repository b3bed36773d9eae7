import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  factsOf,
  gatewayHarness,
  strictModel,
  WIRES,
} from '../../../test/support/gateway-harness.ts';
import type { GatewayHarness } from '../../../test/support/gateway-harness.ts';
import { NO_CAPS } from './budget-ledger.ts';
import type { BudgetCaps } from './budget-ledger.ts';
import { CallSlots } from '../calls/call-slots.ts';
import { BudgetPool } from './budget-pool.ts';
import { recordCalls } from '../observe/record-calls.ts';

function runPool(caps: Partial<BudgetCaps>): BudgetPool {
  return new BudgetPool('run', { ...NO_CAPS, ...caps }, at(0));
}

const ended = (harness: GatewayHarness, count: number): Promise<void> =>
  eventually(`${count} calls ended`, () => factsOf(harness, 'call-ended').length >= count);

describe('a budget', () => {
  test('that is spent refuses the next call with an error that every CLI takes as final, and asks', async () => {
    await using server = await strictModel({
      script: { steps: [{ usage: { inputTokens: 9000, outputTokens: 1000 } }] },
    });
    const run = runPool({ tokens: 10_000 });
    await using harness = await gatewayHarness(server.url, { pools: [run] });
    assert.equal((await (await harness.ask('openai-chat')).text()).length > 0, true);
    await ended(harness, 1);
    const refused = await Promise.all(
      WIRES.map(async (wire) => {
        const answer = await harness.ask(wire);
        return [answer.status, await answer.json()];
      }),
    );
    const message =
      'The token budget of this run is spent: 10000 of 10000 tokens are used. A person decides what next.';
    const openai = {
      error: { message, type: 'invalid_request_error', param: null, code: 'budget_exhausted' },
    };
    assert.deepEqual(refused, [
      [400, { type: 'error', error: { type: 'invalid_request_error', message } }],
      [400, openai],
      [400, openai],
      [400, { error: { code: 400, message, status: 'FAILED_PRECONDITION' } }],
    ]);
    assert.deepEqual(
      factsOf(harness, 'budget-exhausted').map(({ scope, limit, because, spent }) => ({
        scope,
        limit,
        because,
        spent,
      }))[0],
      {
        scope: 'run',
        limit: 'tokens',
        because: 'spent',
        spent: { tokens: 10_000, usd: run.ledger.spent.usd, calls: 1 },
      },
    );
    assert.equal(server.journal().length, 1);
    run.renew(NO_CAPS);
    assert.equal((await harness.ask('anthropic')).status, 200);
  });

  test('in money refuses a model without a price', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url, { pools: [runPool({ usd: 5 })] });
    const answer = await harness.ask('openai-chat', true, { body: { model: 'house-model' } });
    assert.equal(answer.status, 400);
    assert.equal(factsOf(harness, 'budget-exhausted')[0]?.because, 'price-unknown');
  });

  test('D2: in money refuses a side call to a model without a price, and the work continues', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url, { pools: [runPool({ usd: 5 })] });
    const answer = await harness.ask('openai-chat', true, {
      body: { model: 'house-model', tools: undefined },
    });
    assert.equal(answer.status, 400);
    assert.match(
      await answer.text(),
      /The price of house-model is unknown, and this run has a budget/,
    );
    assert.deepEqual(factsOf(harness, 'budget-exhausted'), []);
    assert.equal(factsOf(harness, 'request-refused')[0]?.code, 'price_unknown');
    assert.equal((await harness.ask('openai-chat')).status, 200);
  });

  test('lowers the output limit of a call to what is left, and reports it if the answer was cut short', async () => {
    const usage = { inputTokens: 100, outputTokens: 3000 };
    await using server = await strictModel({
      script: { steps: [{ text: 'Hi', usage, stop: 'length' }] },
    });
    await using harness = await gatewayHarness(server.url, { pools: [runPool({ usd: 0.1 })] });
    await (await harness.ask('openai-chat')).text();
    const body = server.journal()[0]?.body as Record<string, number>;
    assert.ok((body['max_completion_tokens'] ?? 0) > 1024, JSON.stringify(body));
    assert.ok((body['max_completion_tokens'] ?? 0) * 30e-6 < 0.1);
    await eventually('it is told', () => factsOf(harness, 'budget-exhausted').length === 1);
  });

  test('in money allows a model without a price if the settings say so', async () => {
    await using server = await strictModel();
    const run = runPool({ usd: 5 });
    await using harness = await gatewayHarness(server.url, { pools: [run], unpriced: true });
    const answer = await harness.ask('openai-chat', true, { body: { model: 'house-model' } });
    assert.equal(answer.status, 200);
    await answer.text();
    await eventually('it is charged', () => run.ledger.spent.calls === 1);
    assert.equal(run.ledger.spent.usd, 0);
  });

  test('holds with twenty concurrent calls: none starts beyond it', async () => {
    const usage = { inputTokens: 100, outputTokens: 10, cachedTokens: 0, reasoningTokens: 0 };
    await using server = await strictModel({ script: { steps: [{ text: 'Hi.', usage }] } });
    const run = runPool({ calls: 7 });
    await using harness = await gatewayHarness(server.url, {
      pools: [run],
      slots: new CallSlots(20),
    });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await harness.ask('anthropic');
        await answer.text();
        return answer.status;
      }),
    );
    assert.equal(server.journal().length, 7);
    assert.equal(statuses.filter((status) => status === 400).length, 13);
    assert.deepEqual(run.ledger.spent.calls, 7);
    assert.deepEqual(run.ledger.reserved, { tokens: 0, usd: 0, calls: 0 });
  });

  test('records the most that a call may cost before it is sent, and its actual cost after', async () => {
    const written = Promise.withResolvers<void>();
    const recorded: object[] = [];
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url, {
      onReserve: async (call, estimate) => {
        recorded.push({ call, tokens: estimate.tokens > 0 });
        await written.promise;
      },
    });
    const pending = harness.ask('anthropic');
    await eventually('it is told', () => recorded.length === 1);
    assert.deepEqual([recorded, server.journal().length], [[{ call: 1, tokens: true }], 0]);
    written.resolve();
    assert.equal((await pending).status, 200);
    await eventually('it is settled', () => factsOf(harness, 'call-settled').length === 1);
    assert.equal(factsOf(harness, 'call-settled')[0]?.call.number, 1);
  });

  test('that cannot be recorded lets no call out, and reserves nothing', async () => {
    await using server = await strictModel();
    const run = runPool({ calls: 1 });
    const harness = await gatewayHarness(server.url, {
      pools: [run],
      onReserve: () => Promise.reject(new Error('the disk is on fire')),
    });
    await assert.rejects(harness.ask('anthropic'));
    assert.equal(server.journal().length, 0);
    assert.deepEqual([run.ledger.reserved.calls, run.ledger.spent.calls], [0, 0]);
    await assert.rejects(harness.gateway.close(), /calls failed in the gateway/);
  });

  test('is not charged for free calls, and a refusal of the provider is free', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'unauthorized' } }] });
    const run = runPool({ tokens: 100_000 });
    await using harness = await gatewayHarness(server.url, { pools: [run] });
    await (await harness.ask('anthropic')).text();
    await ended(harness, 1);
    assert.deepEqual(run.ledger.spent, { tokens: 0, usd: 0, calls: 1 });
  });
});

test('a call waits while calls are held, and takes no slot meanwhile', async () => {
  await using server = await strictModel();
  const [requested, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slots = new CallSlots(1);
  const mayCall = (): Promise<void> => {
    requested.resolve();
    return held.promise;
  };
  await using harness = await gatewayHarness(server.url, { mayCall, slots });
  const answer = harness.ask('anthropic');
  await Promise.race([requested.promise, answer]);
  using slot = await slots.take(new AbortController().signal);
  assert.ok(slot !== undefined);
  slot[Symbol.dispose]();
  assert.deepEqual([server.journal().length, harness.facts], [0, []]);
  held.resolve();
  assert.equal((await answer).status, 200);
});

test('a recording holds requests and answers, without secrets and within its bound', async () => {
  const lines: string[] = [];
  const recording = recordCalls({
    redact: (text) => Promise.resolve(text.replaceAll('open-sesame', '[redacted]')),
    write: (line) => Promise.resolve(void lines.push(line)),
    textCharsMax: 4000,
  });
  await using server = await strictModel({
    script: { steps: [{ text: 'The word is open-sesame.' }] },
  });
  await using harness = await gatewayHarness(server.url, {
    record: (call) => recording.record(call),
  });
  await (
    await harness.ask('anthropic', true, { body: { system: `open-sesame ${'x '.repeat(5000)}` } })
  ).text();
  await ended(harness, 1);
  assert.deepEqual(await recording.close(), { written: 1, leftOut: 0 });
  assert.equal(lines.length, 1);
  const [line = ''] = lines;
  assert.doesNotMatch(line, /open-sesame|sk-real|run-token/);
  const recorded = JSON.parse(line) as {
    request: string;
    answer: { text: string };
    status: number;
  };
  assert.deepEqual([recorded.status, recorded.answer.text], [200, 'The word is [redacted].']);
  assert.ok(recorded.request.length <= 4003 && recorded.request.startsWith('{"model"'));
});
