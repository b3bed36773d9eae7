import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  factsOf,
  gatewayHarness,
  serve,
  strictModel,
} from '../../../test/support/gateway-harness.ts';
import type { GatewayHarness } from '../../../test/support/gateway-harness.ts';
import { NO_CAPS } from '../budget/budget-ledger.ts';
import { CallKinds } from './call-kinds.ts';
import type { CallKind } from './classify-call.ts';
import { BudgetPool } from '../budget/budget-pool.ts';

const request = (tools: readonly string[], said = 'hello') => ({
  ...{ model: 'm', stream: true, system: '', tools },
  units: [{ kind: 'prompt', text: said } as const],
});
const PLAIN = request([]);
const TOOLS = request(['shell']);
const COMPACT = request([], 'create a detailed summary of this conversation');

describe('the kind of an agent call', () => {
  type Asked = readonly [asked: typeof PLAIN, conversation: string];
  const cases: [why: string, calls: readonly Asked[], known: CallKind[], custom: CallKind[]][] = [
    ['plain calls alone', [[PLAIN, 'a'], [PLAIN, 'a']], ['side', 'side'], ['main', 'main']],
    ['a title beside the work', [[TOOLS, 'a'], [PLAIN, 'b']], ['main', 'side'], ['main', 'side']],
    ['a final call without tools', [[TOOLS, 'a'], [PLAIN, 'a']], ['main', 'side'], ['main', 'main']],
    ['a task about summaries', [[COMPACT, 'a']], ['compaction'], ['main']],
    ['a compaction', [[TOOLS, 'a'], [COMPACT, 'a']], ['main', 'compaction'], ['main', 'compaction']],
  ]; // prettier-ignore
  for (const [why, calls, known, custom] of cases)
    test(`${why}, for a known CLI and for a custom one`, () => {
      const kindsOf = (plain: 'side' | 'work'): CallKind[] => {
        const kinds = new CallKinds(plain);
        return calls.map(([asked, conversation]) =>
          kinds.classify('generate', {}, asked, conversation),
        );
      };
      assert.deepEqual([kindsOf('side'), kindsOf('work')], [known, custom]);
    });

  test('of counting and listing is not work, also for a custom agent', () => {
    const kinds = new CallKinds('work');
    const kind = (does: 'compact' | 'count' | 'models'): CallKind =>
      kinds.classify(does, {}, PLAIN, 'a');
    assert.deepEqual(
      [kind('compact'), kind('count'), kind('models')],
      ['compaction', 'count', 'probe'],
    );
  });
});

const CUSTOM = { plainCalls: 'work' } as const;
const NO_TOOLS = { body: { tools: [] } };
const ended = (harness: GatewayHarness): Promise<void> =>
  eventually('the call has ended', () => factsOf(harness, 'call-ended').length > 0);

describe('a plain chat call of a custom agent is work:', () => {
  test('a limit on it decides the attempt and concerns the identity', async () => {
    const fault = { kind: 'usage-limit', retryAfterS: 7200 } as const;
    await using server = await strictModel({ faults: [{ fault, on: ['side'] }] });
    await using harness = await gatewayHarness(server.url, CUSTOM);
    await (await harness.ask('anthropic', true, NO_TOOLS)).text();
    assert.deepEqual(
      factsOf(harness, 'provider-refused').map(({ call, decisive, ofIdentity }) => [
        call.kind,
        decisive,
        ofIdentity,
      ]),
      [['main', true, true]],
    );
  });

  test('a model without a price asks a person', async () => {
    await using server = await strictModel();
    const pool = new BudgetPool('run', { ...NO_CAPS, usd: 5 }, at(0));
    await using harness = await gatewayHarness(server.url, { ...CUSTOM, pools: [pool] });
    const body = { tools: [], model: 'claude-unheard-of' };
    assert.equal((await harness.ask('anthropic', true, { body })).status, 400);
    assert.deepEqual(
      factsOf(harness, 'budget-exhausted').map(({ because }) => because),
      ['price-unknown'],
    );
  });

  test('a stream that ends without a stop is cut', async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const delta = { type: 'text_delta', text: 'half a word' };
      const event = { type: 'content_block_delta', index: 0, delta };
      response.end(`data: ${JSON.stringify(event)}\n\n`);
    });
    await using harness = await gatewayHarness(server.url, CUSTOM);
    await (await harness.ask('anthropic', true, NO_TOOLS)).text();
    await ended(harness);
    assert.deepEqual(
      factsOf(harness, 'call-ended').map(({ call, end }) => [call.kind, end]),
      [['main', 'incomplete']],
    );
  });

  test('its turns are counted', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url, CUSTOM);
    await (await harness.ask('anthropic', true, NO_TOOLS)).text();
    await ended(harness);
    assert.equal(factsOf(harness, 'turn').length, 1);
  });

  test('the model of its calls with tools overrides that of an earlier title', async () => {
    const fault = { kind: 'usage-limit', retryAfterS: 7200 } as const;
    await using server = await strictModel({ faults: [{ fault, on: ['main'] }] });
    await using harness = await gatewayHarness(server.url, CUSTOM);
    const title = { body: { tools: [], model: 'claude-haiku-4-5' } };
    await (await harness.ask('anthropic', true, title)).text();
    await (await harness.ask('anthropic')).text();
    assert.deepEqual(
      factsOf(harness, 'provider-refused').map(({ ofIdentity }) => ofIdentity),
      [true],
    );
  });
});
