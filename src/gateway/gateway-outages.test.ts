import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../host/machine/system-clock.ts';
import { eventually } from '../../test/support/eventually.ts';
import {
  factsOf,
  gatewayHarness,
  serve,
  strictModel,
  WIRES,
} from '../../test/support/gateway-harness.ts';
import type { GatewayHarness } from '../../test/support/gateway-harness.ts';
import type { Fault } from '../testing/model-server/model-faults.ts';
import { NO_CAPS } from './budget/budget-ledger.ts';
import { at } from '../base/clock.ts';
import { OutageRetries } from './calls/outage-retries.ts';
import { BudgetPool } from './budget/budget-pool.ts';

const outage = { patienceMs: 10_000, replaceable: true };

/** Advances the clock over each reported wait until the answer is here. */
async function waitOutRetries(
  harness: GatewayHarness,
  pending: Promise<Response>,
): Promise<Response> {
  const done = new AbortController();
  const end = (): void => done.abort();
  void pending.then(end, end);
  for (let held = 0; !done.signal.aborted;) {
    const next = factsOf(harness, 'call-held')[held];
    if (next !== undefined) {
      held += 1;
      await harness.clock.advance(next.waitMs);
    }
    await systemClock.sleep(5);
  }
  return pending;
}

const waitsOf = (harness: GatewayHarness): readonly number[] =>
  factsOf(harness, 'call-held').map(({ waitMs }) => waitMs);
const ended = (harness: GatewayHarness, count = 1): Promise<void> =>
  eventually(`${count} calls ended`, () => factsOf(harness, 'call-ended').length >= count);

/** What a provider in trouble does. Each trouble is temporary. */
const TROUBLES: readonly Fault[] = [
  { kind: 'overloaded' },
  { kind: 'unavailable' },
  { kind: 'server-error' },
  { kind: 'reset' },
  { kind: 'cut' },
  { kind: 'empty' },
  { kind: 'error-event', problem: 'overloaded' },
];

describe('a provider in trouble', () => {
  for (const wire of WIRES)
    for (const fault of TROUBLES)
      test(`that recovers only makes the call slow: ${fault.kind} twice, of ${wire}`, async () => {
        await using server = await strictModel({ faults: [{ fault, times: 2 }] });
        await using harness = await gatewayHarness(server.url, { outage });
        const answer = await waitOutRetries(harness, harness.ask(wire));
        assert.equal(answer.status, 200);
        assert.match(await answer.text(), /Hello yourself\./);
        await ended(harness);
        assert.deepEqual(waitsOf(harness), [100, 200]);
        assert.deepEqual(factsOf(harness, 'provider-refused'), []);
        const [end] = factsOf(harness, 'call-ended');
        assert.deepEqual([end?.end, end?.decisive], ['answered', false]);
      });

  for (const fault of TROUBLES)
    test(`that does not recover decides the attempt, after half a second: ${fault.kind}`, async () => {
      await using server = await strictModel({ faults: [{ fault }] });
      await using harness = await gatewayHarness(server.url, { outage });
      await waitOutRetries(harness, harness.ask('openai-chat'))
        .then((answer) => answer.text())
        .catch(String);
      await ended(harness);
      assert.deepEqual(waitsOf(harness), [100, 200]);
      assert.equal(server.journal().length, 3);
      assert.equal(factsOf(harness, 'call-ended')[0]?.decisive, true);
    });

  test('is given more time once the agent has begun its work', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url, { outage });
    await (await harness.ask('anthropic')).text();
    server.inject({ fault: { kind: 'overloaded' } });
    const answer = await waitOutRetries(harness, harness.ask('anthropic'));
    assert.equal(answer.status, 529);
    assert.deepEqual(waitsOf(harness), [100, 200, 400, 800, 1600, 3000, 3000]);
    assert.equal(factsOf(harness, 'provider-refused')[0]?.decisive, true);
  });

  test('of a side call decides nothing', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'overloaded' }, on: ['side'] }],
    });
    await using harness = await gatewayHarness(server.url, { outage });
    await (await harness.ask('anthropic')).text();
    await waitOutRetries(harness, harness.ask('anthropic', true, { body: { tools: [] } }));
    assert.equal(factsOf(harness, 'provider-refused')[0]?.decisive, false);
  });

  test('that names a retry time is retried at that time', async () => {
    let requests = 0;
    await using server = await serve((_request, response) => {
      requests += 1;
      const headers = { 'content-type': 'application/json', 'retry-after': '20' };
      const content = [{ type: 'text', text: 'Hello yourself.' }];
      const message = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn' };
      response.writeHead(requests === 1 ? 503 : 200, headers).end(JSON.stringify(message));
    });
    await using harness = await gatewayHarness(server.url, { outage });
    assert.equal((await waitOutRetries(harness, harness.ask('anthropic'))).status, 200);
    assert.deepEqual(waitsOf(harness), [20_000]);
  });

  test('is retried only within the budget, and a call that broke off is paid for', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'cut' } }] });
    const pool = new BudgetPool('run', { ...NO_CAPS, calls: 2 }, at(0));
    await using harness = await gatewayHarness(server.url, { outage, pools: [pool] });
    assert.equal((await waitOutRetries(harness, harness.ask('anthropic'))).status, 400);
    assert.equal(server.journal().length, 2);
    assert.equal(pool.ledger.spent.calls, 2);
    assert.equal(factsOf(harness, 'budget-exhausted').length, 1);
  });
});

describe('the first answer', () => {
  test('is held back for a moment only, and arrives complete', async () => {
    const text = 'Hello yourself. '.repeat(200);
    await using server = await strictModel({
      script: { steps: [{ text }] },
      faults: [{ fault: { kind: 'drip', everyMs: 1, bytes: 64 } }],
    });
    await using harness = await gatewayHarness(server.url, { outage });
    const pending = harness.ask('anthropic', false);
    await eventually('it is on its way', () => server.journal().length === 1);
    await harness.clock.advance(300);
    const body = (await (await pending).json()) as { content: readonly { text: string }[] };
    assert.equal(body.content[0]?.text, text);
  });
});

describe('the time that outages are retried', () => {
  const cases: [why: string, patience: OutageRetries, waits: readonly number[]][] = [
    ['is short for an agent that another can replace', new OutageRetries(outage), [100, 200]],
    [
      'is long for an agent that no other can replace',
      new OutageRetries({ ...outage, replaceable: false }),
      [100, 200, 400, 800, 1600, 3000, 3000],
    ],
    [
      'is never longer than its limit',
      new OutageRetries({ patienceMs: 150, replaceable: true }),
      [100],
    ],
    ['is zero if retries are off', new OutageRetries({ patienceMs: 0, replaceable: false }), []],
  ];
  for (const [why, patience, expected] of cases)
    test(why, () => {
      const waits: number[] = [];
      for (let waited = 0; ;) {
        const next = patience.waitMs(waits.length + 1, waited);
        if (next === undefined) break;
        waits.push(next);
        waited += next;
      }
      assert.deepEqual(waits, expected);
    });
});
