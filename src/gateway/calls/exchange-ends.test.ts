/** Calls that do not end well: each is told with how it ended, and its agent hears of it. */
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
    await using rig = await gatewayHarness(server.url);
    await assert.rejects(rig.ask('anthropic').then((answer) => answer.text()));
    await eventually('it is told', () => rig.facts.map(({ kind }) => kind).includes('call-ended'));
    const [ended] = factsOf(rig, 'call-ended');
    assert.deepEqual([ended?.end, ended?.status], ['cut', 200]);
  });

  test('to nobody is answered in the shape of the provider', async () => {
    const gone = await serve(() => undefined);
    await gone[Symbol.asyncDispose]();
    await using rig = await gatewayHarness(gone.url);
    const answer = await rig.ask('gemini');
    assert.equal(answer.status, 502);
    assert.deepEqual(await answer.json(), {
      error: {
        code: 502,
        message: 'The provider could not be reached (ECONNREFUSED).',
        status: 'UNAVAILABLE',
      },
    });
    assert.equal(factsOf(rig, 'call-ended')[0]?.end, 'unreachable');
  });

  test('that is never answered ends when its time is up', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'hang' } }] });
    await using rig = await gatewayHarness(server.url);
    const asked = rig.ask('anthropic');
    await eventually('it is under way', () => server.journal().length === 1);
    await rig.clock.advance(180_000);
    assert.match(await (await asked).text(), /^event: error$/m);
    assert.equal(factsOf(rig, 'call-ended')[0]?.end, 'timed-out');
  });

  test('whose stream falls silent is ended', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'hang', where: 'in-stream' } }],
    });
    await using rig = await gatewayHarness(server.url);
    const answer = await rig.ask('anthropic');
    const reader = answer.body?.getReader();
    await reader?.read();
    await rig.clock.advance(180_000);
    await assert.rejects(async () => {
      while (!(await reader?.read())?.done);
    });
    await eventually('it is told', () => factsOf(rig, 'call-ended')[0]?.end === 'timed-out');
  });

  test('that its agent leaves is left upstream too', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'hang' } }] });
    await using rig = await gatewayHarness(server.url);
    const left = new AbortController();
    const asked = rig.ask('anthropic', true, { signal: left.signal });
    await eventually('it is under way', () => server.journal().length === 1);
    left.abort();
    await assert.rejects(asked);
    await eventually('the provider noticed', () => server.journal()[0]?.end === 'left-by-client');
    assert.equal(factsOf(rig, 'call-ended')[0]?.end, 'left');
  });

  test('that its agent leaves in the middle is left, not cut', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'hang', where: 'in-stream' } }],
    });
    await using rig = await gatewayHarness(server.url);
    const left = new AbortController();
    const answer = await rig.ask('openai-chat', true, { signal: left.signal });
    await answer.body?.getReader().read();
    left.abort();
    await eventually('it is told', () => factsOf(rig, 'call-ended')[0]?.end === 'left');
  });
});
