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

/** Lets each wait pass that is told, until the answer is here. */
async function patiently(rig: GatewayHarness, asked: Promise<Response>): Promise<Response> {
  const over = new AbortController();
  const end = (): void => over.abort();
  void asked.then(end, end);
  for (let held = 0; !over.signal.aborted;) {
    const next = factsOf(rig, 'call-held')[held];
    if (next !== undefined) {
      held += 1;
      await rig.clock.advance(next.waitMs);
    }
    await systemClock.sleep(5);
  }
  return asked;
}

const waitsOf = (rig: GatewayHarness): readonly number[] =>
  factsOf(rig, 'call-held').map(({ waitMs }) => waitMs);
const ended = (rig: GatewayHarness, count = 1): Promise<void> =>
  eventually(`${count} calls ended`, () => factsOf(rig, 'call-ended').length >= count);

/** What a provider in trouble does; each of them passes. */
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
      test(`that recovers is only slow: ${fault.kind} twice, of ${wire}`, async () => {
        await using server = await strictModel({ faults: [{ fault, times: 2 }] });
        await using rig = await gatewayHarness(server.url, { outage });
        const answer = await patiently(rig, rig.ask(wire));
        assert.equal(answer.status, 200);
        assert.match(await answer.text(), /Hello yourself\./);
        await ended(rig);
        assert.deepEqual(waitsOf(rig), [100, 200]);
        assert.deepEqual(factsOf(rig, 'provider-refused'), []);
        const [end] = factsOf(rig, 'call-ended');
        assert.deepEqual([end?.end, end?.decisive], ['answered', false]);
      });

  for (const fault of TROUBLES)
    test(`that does not decides, after half a second: ${fault.kind}`, async () => {
      await using server = await strictModel({ faults: [{ fault }] });
      await using rig = await gatewayHarness(server.url, { outage });
      await patiently(rig, rig.ask('openai-chat'))
        .then((answer) => answer.text())
        .catch(String);
      await ended(rig);
      assert.deepEqual(waitsOf(rig), [100, 200]);
      assert.equal(server.journal().length, 3);
      assert.equal(factsOf(rig, 'call-ended')[0]?.decisive, true);
    });

  test('is given more time once the agent is at work', async () => {
    await using server = await strictModel();
    await using rig = await gatewayHarness(server.url, { outage });
    await (await rig.ask('anthropic')).text();
    server.inject({ fault: { kind: 'overloaded' } });
    const answer = await patiently(rig, rig.ask('anthropic'));
    assert.equal(answer.status, 529);
    assert.deepEqual(waitsOf(rig), [100, 200, 400, 800, 1600, 3000, 3000]);
    assert.equal(factsOf(rig, 'provider-refused')[0]?.decisive, true);
  });

  test('of a call on the side decides nothing', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'overloaded' }, on: ['side'] }],
    });
    await using rig = await gatewayHarness(server.url, { outage });
    await (await rig.ask('anthropic')).text();
    await patiently(rig, rig.ask('anthropic', true, { body: { tools: [] } }));
    assert.equal(factsOf(rig, 'provider-refused')[0]?.decisive, false);
  });

  test('that says when it will be back is taken at its word', async () => {
    let asked = 0;
    await using server = await serve((_request, response) => {
      asked += 1;
      const headers = { 'content-type': 'application/json', 'retry-after': '20' };
      const content = [{ type: 'text', text: 'Hello yourself.' }];
      const message = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn' };
      response.writeHead(asked === 1 ? 503 : 200, headers).end(JSON.stringify(message));
    });
    await using rig = await gatewayHarness(server.url, { outage });
    assert.equal((await patiently(rig, rig.ask('anthropic'))).status, 200);
    assert.deepEqual(waitsOf(rig), [20_000]);
  });

  test('is asked again within the budget alone, and what broke off is paid for', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'cut' } }] });
    const purse = new BudgetPool('run', { ...NO_CAPS, calls: 2 }, at(0));
    await using rig = await gatewayHarness(server.url, { outage, purses: [purse] });
    assert.equal((await patiently(rig, rig.ask('anthropic'))).status, 400);
    assert.equal(server.journal().length, 2);
    assert.equal(purse.ledger.spent.calls, 2);
    assert.equal(factsOf(rig, 'budget-exhausted').length, 1);
  });
});

describe('the first answer', () => {
  test('is held back for a moment only, and comes whole', async () => {
    const text = 'Hello yourself. '.repeat(200);
    await using server = await strictModel({
      script: { steps: [{ text }] },
      faults: [{ fault: { kind: 'drip', everyMs: 1, bytes: 64 } }],
    });
    await using rig = await gatewayHarness(server.url, { outage });
    const asked = rig.ask('anthropic', false);
    await eventually('it is on its way', () => server.journal().length === 1);
    await rig.clock.advance(300);
    const body = (await (await asked).json()) as { content: readonly { text: string }[] };
    assert.equal(body.content[0]?.text, text);
  });
});

describe('patience', () => {
  const cases: [why: string, patience: OutageRetries, waits: readonly number[]][] = [
    ['with one whom another can replace is short', new OutageRetries(outage), [100, 200]],
    [
      'with one whom nobody can is not',
      new OutageRetries({ ...outage, replaceable: false }),
      [100, 200, 400, 800, 1600, 3000, 3000],
    ],
    [
      'is never longer than it may be',
      new OutageRetries({ patienceMs: 150, replaceable: true }),
      [100],
    ],
    ['of none is none', new OutageRetries({ patienceMs: 0, replaceable: false }), []],
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
