/** Calls that do not end well: each is reported with how it ended, and the agent receives an error. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  factsOf,
  gatewayHarness,
  serve,
  strictModel,
} from '../../../test/support/gateway-harness.ts';

describe('a call', () => {
  test('whose provider breaks off is broken for the agent too', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'cut' } }] });
    await using harness = await gatewayHarness(server.url);
    await assert.rejects(harness.ask('anthropic').then((answer) => answer.text()));
    await eventually('it is told', () =>
      harness.facts.map(({ kind }) => kind).includes('call-ended'),
    );
    const [ended] = factsOf(harness, 'call-ended');
    assert.deepEqual([ended?.end, ended?.status], ['incomplete', 200]);
  });

  test("to an unreachable provider is answered in the provider's error format", async () => {
    const gone = await serve(() => undefined);
    await gone[Symbol.asyncDispose]();
    await using harness = await gatewayHarness(gone.url);
    const answer = await harness.ask('gemini');
    assert.equal(answer.status, 502);
    assert.deepEqual(await answer.json(), {
      error: {
        code: 502,
        message: 'The provider could not be reached (ECONNREFUSED).',
        status: 'UNAVAILABLE',
      },
    });
    assert.equal(factsOf(harness, 'call-ended')[0]?.end, 'unreachable');
  });

  test('that is never answered times out', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'hang' } }] });
    await using harness = await gatewayHarness(server.url);
    const asked = harness.ask('anthropic');
    await eventually('it is under way', () => server.journal().length === 1);
    await harness.clock.advance(180_000);
    assert.match(await (await asked).text(), /^event: error$/m);
    assert.equal(factsOf(harness, 'call-ended')[0]?.end, 'timed-out');
  });

  test('whose stream falls silent times out', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'hang', where: 'in-stream' } }],
    });
    await using harness = await gatewayHarness(server.url);
    const answer = await harness.ask('anthropic');
    const reader = answer.body?.getReader();
    await reader?.read();
    await harness.clock.advance(180_000);
    await assert.rejects(async () => {
      while (!(await reader?.read())?.done);
    });
    await eventually('it is told', () => factsOf(harness, 'call-ended')[0]?.end === 'timed-out');
  });

  test('whose agent disconnects is aborted upstream too', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'hang' } }] });
    await using harness = await gatewayHarness(server.url);
    const disconnect = new AbortController();
    const asked = harness.ask('anthropic', true, { signal: disconnect.signal });
    await eventually('it is under way', () => server.journal().length === 1);
    disconnect.abort();
    await assert.rejects(asked);
    await eventually('the provider noticed', () => server.journal()[0]?.end === 'left-by-client');
    assert.equal(factsOf(harness, 'call-ended')[0]?.end, 'disconnected');
  });

  test('whose agent disconnects in the middle ends as left, not cut', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'hang', where: 'in-stream' } }],
    });
    await using harness = await gatewayHarness(server.url);
    const disconnect = new AbortController();
    const answer = await harness.ask('openai-chat', true, { signal: disconnect.signal });
    await answer.body?.getReader().read();
    disconnect.abort();
    await eventually('it is told', () => factsOf(harness, 'call-ended')[0]?.end === 'disconnected');
  });
});
