import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { FromGateway } from '../../protocol/gateway-message.ts';
import { budgetConformance } from '../../../test/support/budget-conformance.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { NO_CAPS } from '../budget/budget-ledger.ts';
import { localBudget, NO_BUDGET } from '../budget/call-budget.ts';
import { CallSlots } from '../calls/call-slots.ts';
import type { GatewayFact } from '../gateway-facts.ts';
import { BudgetPool } from '../budget/budget-pool.ts';
import type { TokenUsage } from '../wires/wire.ts';
import { fitFact } from './fit-fact.ts';
import { encodeFrame, encodeMessage, FrameReader } from './frames.ts';
import { GatewaySide } from './gateway-side.ts';
import type { ToGateway } from './messages.ts';
import { FRAME_BYTES_MAX } from './messages.ts';
import type { ChannelPorts } from './owner-side.ts';
import { OwnerSide } from './owner-side.ts';

const NEVER = new AbortController().signal;
const ESTIMATE_REQUEST = {
  inputTokens: 60,
  outputTokens: 40,
  outputTokensMin: 10,
  usd: { input: 0.1, outputToken: 0.01 },
};
const ESTIMATE = { tokens: 100, usd: 0.5, inputTokens: 60, outputTokens: 40 };

type Pair = {
  readonly owner: OwnerSide;
  readonly gateway: GatewaySide;
  /** Delivers a message of the gateway, as the owner reads it. */
  readonly say: (message: unknown) => Promise<void>;
  readonly told: ToGateway[];
};

/** Both ends of a channel. Every message of one end goes through the frames of the other. */
function pairWith(ports: Partial<ChannelPorts> = {}): Pair {
  const sent: ToGateway[] = [];
  const whole: ChannelPorts = {
    budget: NO_BUDGET,
    slots: new CallSlots(1),
    mayCall: () => Promise.resolve(),
    onFact: () => undefined,
    onTunnel: () => undefined,
    onRecord: () => Promise.resolve(),
    ...ports,
  };
  const reader = new FrameReader(FRAME_BYTES_MAX.toOwner);
  const owner = new OwnerSide(
    () => whole,
    (message) => {
      sent.push(message);
      const read = JSON.parse(JSON.stringify(message)) as ToGateway;
      if (
        read.kind === 'granted' ||
        read.kind === 'reserved' ||
        read.kind === 'spent' ||
        read.kind === 'failed'
      )
        queueMicrotask(() => gateway.take(read));
    },
  );
  const deliver = async (message: unknown): Promise<void> => {
    for (const frame of reader.push(encodeMessage(message))) await owner.take(frame);
  };
  const gateway = new GatewaySide((message) => void deliver(message));
  return { owner, gateway, say: deliver, told: sent };
}

budgetConformance('over the channel', async (pools, record) => {
  const { owner, gateway } = pairWith({ budget: localBudget(pools, new ManualClock(), record) });
  return { budget: gateway.budget, [Symbol.asyncDispose]: async () => owner.end() };
});

describe('the owner of a gateway', () => {
  test('charges in full for open reservations when the channel ends', async () => {
    const run = new BudgetPool('run', { ...NO_CAPS, usd: 5 }, at(0));
    const settled: unknown[] = [];
    const { owner, gateway } = pairWith({
      budget: localBudget([run], new ManualClock(), {
        settled: (call, cost) => void settled.push([call, cost]),
      }),
    });
    await gateway.budget.reserve(1, ESTIMATE_REQUEST, NEVER);
    await gateway.budget.reserve(2, ESTIMATE_REQUEST, NEVER);
    owner.end();
    owner.end();
    assert.deepEqual(settled, [
      [1, ESTIMATE],
      [2, ESTIMATE],
    ]);
    assert.deepEqual(run.ledger.spent, { tokens: 200, usd: 1, calls: 2 });
    assert.equal(run.ledger.reserved.calls, 0);
  });

  test('releases the slots of a gateway when its channel ends, and drops its waiting requests', async () => {
    const slots = new CallSlots(1);
    const { owner, gateway } = pairWith({ slots });
    assert.ok((await gateway.slots.take(NEVER)) !== undefined);
    void gateway.slots.take(NEVER);
    await eventually('the second waits', () => slots.waiting === 1);
    owner.end();
    assert.equal(slots.waiting, 0);
    assert.ok((await slots.take(NEVER)) !== undefined);
  });

  test('releases a slot that was granted while the gateway cancelled it', async () => {
    const slots = new CallSlots(1);
    const { gateway, say } = pairWith({ slots });
    const slot = await gateway.slots.take(NEVER);
    const disconnected = new AbortController();
    const second = gateway.slots.take(disconnected.signal);
    await eventually('it waits', () => slots.waiting === 1);
    slot?.[Symbol.dispose]();
    disconnected.abort();
    assert.equal(await second, undefined);
    await say({ kind: 'pong', nonce: 1 });
    assert.ok((await slots.take(NEVER)) !== undefined);
  });

  const refused: [why: string, messages: readonly unknown[]][] = [
    ['that is not JSON', [undefined]],
    ['of an unknown kind', [{ kind: 'raise-cap', usd: 1000 }]],
    ['with a field too many', [{ kind: 'pong', nonce: 1, run: 'another' }]],
    ['with a negative cost', [reserve(1, 1), { kind: 'settle', id: 1, cost: cost(-1) }]],
    ['that settles a reservation it does not hold', [{ kind: 'settle', id: 7, cost: null }]],
    ['that settles twice', [reserve(1, 1), settle(1), settle(1)]],
    ['that returns a slot it does not hold', [{ kind: 'return-slot', id: 1 }]],
    ['that returns a reservation as a slot', [reserve(1, 1), { kind: 'return-slot', id: 1 }]],
    ['that reserves twice for one call', [reserve(1, 1), reserve(2, 1)]],
    ['that uses a number twice', [reserve(1, 1), { kind: 'ask-slot', id: 1 }]],
    ['with a text that is too long', [{ kind: 'not-listening', message: 'x'.repeat(9000) }]],
  ];
  for (const [why, messages] of refused) {
    test(`refuses a message ${why}`, async () => {
      const { say } = pairWith();
      const last = messages.at(-1);
      for (const message of messages.slice(0, -1)) await say(message);
      await assert.rejects(say(last));
    });
  }

  test('accepts only a bounded number of concurrent requests', async () => {
    const { say } = pairWith({ mayCall: () => new Promise(() => undefined) });
    const all = async (): Promise<void> => {
      for (let id = 1; id <= 2000; id += 1) await say({ kind: 'ask-turn', id });
    };
    await assert.rejects(all(), /too many concurrent requests/);
  });

  test('refuses messages of a gateway that has no attempt yet', async () => {
    const owner = new OwnerSide(
      () => undefined,
      () => undefined,
    );
    const [frame] = new FrameReader(1000).push(
      encodeMessage({ kind: 'tunnel', fact: { kind: 'tunnel-opened', target: 'a:1' } }),
    );
    assert.ok(frame !== undefined);
    await assert.rejects(owner.take(frame), /before it was assigned to an attempt/);
  });
});

function reserve(id: number, call: number): FromGateway {
  return { kind: 'reserve', id, call, estimate: ESTIMATE_REQUEST };
}

function settle(id: number): FromGateway {
  return { kind: 'settle', id, cost: null };
}

function cost(usd: number): typeof ESTIMATE {
  return { ...ESTIMATE, usd };
}

describe('frames', () => {
  test('are read however the bytes are cut', () => {
    const bytes = Buffer.concat([
      encodeMessage({ kind: 'ready' }),
      encodeFrame('bytes', Buffer.from('a line\n')),
      encodeMessage({ kind: 'pong', nonce: 3 }),
    ]);
    for (const size of [1, 2, 5, 7, 100]) {
      const reader = new FrameReader(1000);
      const frames = [];
      for (let from = 0; from < bytes.length; from += size)
        frames.push(...reader.push(bytes.subarray(from, from + size)));
      assert.deepEqual(
        frames.map((frame) => [frame.kind, frame.bytes.toString('utf8')]),
        [
          ['json', '{"kind":"ready"}'],
          ['bytes', 'a line\n'],
          ['json', '{"kind":"pong","nonce":3}'],
        ],
      );
    }
  });

  test('that are too long are refused by their length, before any byte is buffered', () => {
    const head = encodeFrame('json', Buffer.alloc(1001)).subarray(0, 5);
    assert.throws(() => new FrameReader(1000).push(head), /1001 bytes/);
    assert.throws(() => new FrameReader(1000).push(Buffer.from([0, 0, 0, 1, 9])), /unknown kind/);
  });
});

test('a call with every usage field of a provider reaches the owner', async () => {
  // `Required` makes the compiler demand each new usage field here.
  const usage: Required<TokenUsage> = {
    inputTokens: 10,
    cachedTokens: 1,
    cacheWriteTokens: 3,
    cacheWriteHourTokens: 2,
    audioTokens: 1,
    serverToolUses: 1,
    tier: 'default',
    outputTokens: 2,
  };
  const fact: GatewayFact = {
    kind: 'call-ended',
    at: at(2),
    call: { number: 1, wire: 'openai-responses', kind: 'main', conversation: 'c', model: 'm' },
    end: 'answered',
    status: 200,
    usage,
    costUsd: 0.1,
    ms: 1,
    firstByteMs: 1,
    requestBytes: 1,
    responseBytes: 1,
    stop: 'end',
    stopWord: 'completed',
    decisive: false,
  };
  const received: GatewayFact[] = [];
  const { say } = pairWith({ onFact: (one) => void received.push(one) });
  await say({ kind: 'fact', fact });
  assert.deepEqual(received, [fact]);
});

test('a fact of any size is cut to fit a frame, and the owner accepts it', async () => {
  const long = '\u0001'.repeat(1_000_000);
  const call = { number: 1, wire: 'anthropic', kind: 'main', conversation: long, model: long };
  const facts = [
    { at: at(1), kind: 'call-begun', call, requestBytes: 1 },
    { at: at(1), kind: 'request-refused', call, code: long, message: long },
  ] as unknown as readonly GatewayFact[];
  const received: string[] = [];
  const { say } = pairWith({ onFact: ({ kind }) => void received.push(kind) });
  for (const fact of facts) await say({ kind: 'fact', fact: fitFact(fact) });
  assert.deepEqual(received, ['call-begun', 'request-refused']);
});
