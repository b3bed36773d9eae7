/** A message counts as seen when the provider has answered a call that has it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import type { GatewayHarness } from '../../../test/support/gateway-harness.ts';
import {
  factsOf,
  gatewayHarness,
  strictModel,
  TOKEN,
} from '../../../test/support/gateway-harness.ts';
import type { Fault } from '../../testing/model-server/model-faults.ts';

/** The question that the harness asks has this word. */
const MESSAGE = { id: 'a', mark: 'hello', text: null };

/** Asks once, and waits until the call is over for the gateway too. */
async function ask(harness: GatewayHarness, signal?: AbortSignal): Promise<void> {
  const before = factsOf(harness, 'call-settled').length;
  const more = signal === undefined ? {} : { signal };
  await harness
    .ask('anthropic', true, more)
    .then((answer) => answer.text())
    .catch(() => undefined);
  await eventually('it is over', () => factsOf(harness, 'call-settled').length > before);
}

/** The receipts: in which call, and how often the message was there. */
function receipts(harness: GatewayHarness): readonly (readonly [call: number, times: number])[] {
  return factsOf(harness, 'message-seen').map(({ call, times }) => [call.number, times] as const);
}

describe('a message in a call', () => {
  test('is seen when the call is answered, before its end, and once', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    harness.gateway.told.tell(MESSAGE);
    await ask(harness);
    await ask(harness);
    assert.deepEqual(receipts(harness), [[1, 1]]);
    const kinds = harness.facts.map(({ kind }) => kind);
    assert.ok(kinds.indexOf('message-seen') < kinds.indexOf('call-ended'));
    assert.ok(kinds.indexOf('message-seen') > kinds.indexOf('call-begun'));
  });

  const unanswered: readonly (readonly [why: string, fault: Fault])[] = [
    ['hits a limit', { kind: 'rate-limit', retryAfterS: 3600 }],
    ['has a key that is refused', { kind: 'bad-key' }],
    ['finds an overloaded provider', { kind: 'overloaded' }],
    ['ends in a defect of the provider', { kind: 'server-error' }],
    ['is broken off before an answer', { kind: 'reset' }],
    ['is cut off in the middle of its answer', { kind: 'cut', afterFrames: 2 }],
    ['ends without the end of its answer', { kind: 'no-finish' }],
    ['is answered with an error inside the stream', { kind: 'error-event' }],
    ['is answered with nothing', { kind: 'empty' }],
    ['is answered with a web page', { kind: 'html' }],
  ];
  for (const [why, fault] of unanswered)
    test(`that ${why} is not seen, and is seen in the next one that is answered`, async () => {
      await using server = await strictModel({ faults: [{ fault, at: { request: 1 } }] });
      await using harness = await gatewayHarness(server.url, { limitPatienceMs: 0 });
      harness.gateway.told.tell(MESSAGE);
      await ask(harness);
      assert.equal(server.journal().length, 1, 'the gateway repeats none of these calls here');
      assert.deepEqual(receipts(harness), []);
      await ask(harness);
      assert.deepEqual(receipts(harness), [[2, 1]]);
    });

  test('that the agent leaves before its answer is not seen', async () => {
    await using server = await strictModel({ faults: [{ fault: { kind: 'hang' } }] });
    await using harness = await gatewayHarness(server.url);
    harness.gateway.told.tell(MESSAGE);
    const leave = new AbortController();
    const asked = ask(harness, leave.signal);
    await eventually('it is under way', () => server.journal().length === 1);
    leave.abort();
    await asked;
    assert.deepEqual(receipts(harness), []);
  });

  test('that the gateway holds for a limit and repeats is seen once, when it is answered', async () => {
    const fault = { kind: 'rate-limit', retryAfterS: 5 } as const;
    await using server = await strictModel({ faults: [{ fault, at: { request: 1 } }] });
    await using harness = await gatewayHarness(server.url);
    harness.gateway.told.tell(MESSAGE);
    const asked = harness.ask('anthropic').then((answer) => answer.text());
    await eventually('it is held', () => factsOf(harness, 'call-held').length === 1);
    assert.deepEqual(receipts(harness), []);
    await harness.clock.advance(10_000);
    await asked;
    await eventually('it is seen', () => receipts(harness).length === 1);
    assert.deepEqual(receipts(harness), [[1, 1]]);
    assert.equal(server.journal().length, 2);
  });

  test('that is withdrawn before its answer is not seen', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    harness.gateway.told.tell(MESSAGE);
    harness.gateway.told.withdraw(MESSAGE.id);
    await ask(harness);
    assert.deepEqual(receipts(harness), []);
  });
});

describe('a message that the gateway inserts', () => {
  const TOLD = { id: 'b', mark: 'look again', text: 'look again' };
  const AFTER_A_TOOL = {
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
    ],
  };
  const login = 'oat-login-0123456789abcdef';
  const rows: readonly (readonly [
    why: string,
    credential: { readonly kind: 'key' | 'login'; readonly value: string },
    isThere: boolean,
  ])[] = [
    ['is in a call that is paid by the key', { kind: 'key', value: 'sk-key-0123456789' }, true],
    ['is in no call on a subscription', { kind: 'login', value: login }, false],
  ];
  for (const [why, credential, isThere] of rows)
    test(why, async () => {
      await using server = await strictModel({ keys: [credential.value] });
      const upstreams = { anthropic: { base: server.url, credential } };
      await using harness = await gatewayHarness(server.url, { upstreams });
      harness.gateway.told.tell(TOLD);
      const headers = { 'x-api-key': '', authorization: `Bearer ${TOKEN}` };
      const answer = await harness.ask('anthropic', true, { headers, body: AFTER_A_TOOL });
      assert.equal(answer.status, 200, await answer.text());
      const [call] = server.journal();
      assert.equal(JSON.stringify(call?.body).includes(TOLD.text), isThere);
      assert.equal(receipts(harness).length, isThere ? 1 : 0);
    });
});
