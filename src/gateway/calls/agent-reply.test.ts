import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  factsOf,
  gatewayHarness,
  serve,
  strictModel,
  WIRES,
} from '../../../test/support/gateway-harness.ts';
import { EARLY_AFTER_MS } from './agent-reply.ts';

/** A run that is paused until the test resumes it. */
function pause() {
  const state = { isHeld: false, resume: () => {} };
  const held = new Promise<void>((resolve) => (state.resume = resolve));
  const mayCall = (): Promise<void> => {
    state.isHeld = true;
    return held;
  };
  return { state, mayCall };
}

describe('D6: an answer that takes longer than a CLI waits for headers', () => {
  for (const wire of WIRES)
    test(`of ${wire} begins early, with keep-alive bytes, and arrives complete`, async () => {
      await using server = await strictModel();
      const { state, mayCall } = pause();
      await using harness = await gatewayHarness(server.url, { mayCall });
      const asked = harness.ask(wire, true);
      await eventually('it is held', () => state.isHeld);
      await harness.clock.advance(EARLY_AFTER_MS);
      const answer = await asked;
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'text/event-stream');
      await harness.clock.advance(60_000);
      state.resume();
      const text = await answer.text();
      assert.match(text, wire === 'gemini' ? /^\n{5}data/ : /^(?:: waiting\n\n){5}/);
      assert.match(text, /Hello yourself\./);
      await eventually('it is told', () => factsOf(harness, 'call-ended').length === 1);
      assert.deepEqual(
        factsOf(harness, 'call-ended').map(({ end, stop, status }) => [end, stop, status]),
        [['answered', 'end', 200]],
      );
    });

  for (const wire of WIRES)
    test(`of ${wire} that becomes an error reports it in the body, and the gateway reports its status`, async () => {
      await using server = await strictModel({ faults: [{ fault: { kind: 'unauthorized' } }] });
      const { state, mayCall } = pause();
      await using harness = await gatewayHarness(server.url, { mayCall });
      const asked = harness.ask(wire, true);
      await eventually('it is held', () => state.isHeld);
      await harness.clock.advance(EARLY_AFTER_MS);
      const answer = await asked;
      state.resume();
      const event = /^(?:data: |\s*(?=\{))(.*)$/m.exec(await answer.text())?.[1] ?? '';
      assert.match(event, /"message":"[^"]+"/);
      await eventually('it is told', () => factsOf(harness, 'call-ended').length === 1);
      assert.deepEqual(
        factsOf(harness, 'provider-refused').map(({ refusal }) => [refusal.cause, refusal.status]),
        [['auth', 401]],
      );
    });

  test('of Gemini that is not streamed begins with spaces, which JSON allows', async () => {
    await using server = await strictModel();
    const { state, mayCall } = pause();
    await using harness = await gatewayHarness(server.url, { mayCall });
    const asked = harness.ask('gemini', false);
    await eventually('it is held', () => state.isHeld);
    await harness.clock.advance(EARLY_AFTER_MS);
    const answer = await asked;
    state.resume();
    assert.match(JSON.stringify(await answer.json()), /Hello yourself\./);
  });

  test('of any other provider that is not streamed keeps its status', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'unauthorized' } }] });
    const { state, mayCall } = pause();
    await using harness = await gatewayHarness(server.url, { mayCall });
    const asked = harness.ask('anthropic', false);
    await eventually('it is held', () => state.isHeld);
    await harness.clock.advance(EARLY_AFTER_MS);
    state.resume();
    assert.equal((await asked).status, 401);
  });
});

describe('D8: a provider that hangs', () => {
  for (const wire of WIRES)
    test(`times out once, for ${wire}: the attempt ends with that call`, async () => {
      await using server = await serve((request) => void request.resume());
      await using harness = await gatewayHarness(server.url);
      const asked = harness.ask(wire, true);
      await eventually('it is under way', () => factsOf(harness, 'call-begun').length === 1);
      await harness.clock.advance(180_000);
      assert.match(await (await asked).text(), /did not begin its answer within 180 s/);
      assert.deepEqual(
        factsOf(harness, 'call-ended').map(({ end, decisive }) => [end, decisive]),
        [['timed-out', true]],
      );
    });

  test('may take longer if the answer is not streamed, because a model thinks before it answers', async () => {
    await using server = await serve((request) => void request.resume());
    await using harness = await gatewayHarness(server.url);
    const asked = harness.ask('anthropic', false);
    await eventually('it is under way', () => factsOf(harness, 'call-begun').length === 1);
    await harness.clock.advance(599_000);
    assert.equal(factsOf(harness, 'call-ended').length, 0);
    await harness.clock.advance(1000);
    assert.equal((await asked).status, 504);
  });

  test('in the middle of its answer times out once as well', async () => {
    await using server = await strictModel({
      faults: [{ fault: { kind: 'hang', where: 'in-stream' } }],
    });
    await using harness = await gatewayHarness(server.url);
    const answer = await harness.ask('openai-chat');
    const reader = answer.body?.getReader();
    await reader?.read();
    await harness.clock.advance(180_000);
    await eventually('it is told', () => factsOf(harness, 'call-ended').length === 1);
    const [ended] = factsOf(harness, 'call-ended');
    assert.deepEqual([ended?.end, ended?.decisive], ['timed-out', true]);
    await reader?.cancel().catch(() => undefined);
  });
});
