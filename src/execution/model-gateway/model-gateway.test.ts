import assert from 'node:assert/strict';
import { join } from 'node:path';
import { request } from 'node:http';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { seededRandom } from '../../base/random.ts';
import { NO_CAPS } from '../../gateway/budget/budget-ledger.ts';
import { CallSlots } from '../../gateway/calls/call-slots.ts';
import { BudgetPool } from '../../gateway/budget/budget-pool.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testGateways } from '../../../test/support/gateway-processes-fixture.ts';
import { serve } from '../../../test/support/gateway-harness.ts';
import { questionOn } from '../../testing/model-server/ask-model.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openGateway } from './model-gateway.ts';

const PORTS = {
  clock: systemClock,
  random: seededRandom(1),
  homeId: 'abcd1234',
};
const KEY = 'sk-outside-0123456789abcdef';

/** Asks through the socket once, and gives the status. */
function ask(socketPath: string, token: string, more = {}): Promise<number | undefined> {
  const { path, headers, body } = questionOn('anthropic', 'hello');
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath, path, method: 'POST', headers: { ...headers, 'x-api-key': token } },
      (answer) => answer.resume().on('end', () => resolve(answer.statusCode)),
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ ...body, ...more }));
  });
}

test('spending and quotas are recorded when the gateway is closed', async () => {
  await using dir = await tempDir();
  await using gateways = testGateways('model-gateway');
  await using server = await serve((_request, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'anthropic-ratelimit-unified-7d-utilization': '0.95',
      'anthropic-ratelimit-unified-7d-reset': '4000000000',
    });
    const usage = { input_tokens: 900, output_tokens: 100 };
    const content = [{ type: 'text', text: `The key is ${KEY}.` }];
    const message = { type: 'message', role: 'assistant', stop_reason: 'end_turn' };
    response.end(JSON.stringify({ id: 'm', model: 'claude-opus-4-8', ...message, content, usage }));
  });
  const notes: Record<string, Json>[] = [];
  const lines: string[] = [];
  const budget = { ...defaultSettings.budget, run: { ...NO_CAPS, calls: 1 } };
  const clock = new ManualClock(0);
  const gateway = await openGateway(
    {
      cli: 'claude',
      hosts: [],
      model: null,
      settings: defaultSettings.gateway,
      upstreams: { anthropic: { base: server.url, credential: { kind: 'key', value: KEY } } },
      slots: new CallSlots(2),
      replaceable: true,
      budget,
      budgets: { pools: [new BudgetPool('run', budget.run, at(0))], unpriced: false },
      mayCall: async () => {},
      secrets: [],
      record: async (bytes) => void lines.push(Buffer.from(bytes).toString('utf8')),
      note: async (note) => void notes.push(note),
    },
    { ...PORTS, clock, socketDir: dir.path, gateways },
  );
  assert.equal(gateway.socket.startsWith(join(dir.path, 'abcd')), true);
  assert.equal(await ask(gateway.socket, gateway.token), 200);
  await eventually('it is charged', () => notes.some(({ kind }) => kind === 'spent'));
  assert.equal(gateway.giveUpSignal.aborted, false);
  assert.equal(await ask(gateway.socket, gateway.token), 400);
  assert.equal(gateway.giveUpSignal.aborted, false, 'it still stores its conversation');
  await clock.advance(1000);
  assert.equal(gateway.giveUpSignal.aborted, true);
  await gateway[Symbol.asyncDispose]();

  const [first, ...later] = notes;
  assert.deepEqual([first?.['kind'], first?.['call']], ['reserved', 1]);
  assert.ok(Number(first?.['tokens']) > 0 && Number(first?.['usd']) > 0);
  const window = { name: '7d', limit: null, used: null, remaining: null };
  assert.deepEqual(
    later.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    [
      { kind: 'over-budget', scope: 'run', limit: 'calls', because: 'spent', cap: 1 },
      {
        kind: 'quota',
        wire: 'anthropic',
        status: 'quota-low',
        windows: [{ ...window, usedPercent: 95, resetAt: 4_000_000_000_000 }],
      },
      { kind: 'recorded', calls: 1, leftOut: 0 },
      {
        kind: 'spent',
        tokens: 1000,
        usd: (900 * 5 + 100 * 25) / 1_000_000,
        calls: 1,
        inputTokens: 900,
        outputTokens: 100,
        unpriced: 0,
        settled: [1],
      },
      {
        kind: 'turn',
        turn: {
          conversation: 'conversation-1',
          kind: 'main',
          number: 1,
          model: 'claude-opus-4-8',
          steps: [],
          calls: [],
          text: 'The key is [redacted].',
          contextTokens: 900,
          contextTokensMax: 1_000_000,
          outputTokens: 100,
          stop: 'end_turn',
        },
      },
    ],
  );
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /The key is \[redacted\]\./);
});

test('calls of an agent while it exits do not hide why it was ended', async () => {
  await using dir = await tempDir();
  await using gateways = testGateways('model-gateway');
  let requests = 0;
  await using server = await serve((_request, response) => {
    requests += 1;
    if (requests === 1) response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
  });
  const { gateway: settings, budget } = defaultSettings;
  await using gateway = await openGateway(
    {
      ...{ cli: 'claude', model: null, settings, budget, replaceable: true, record: null },
      upstreams: { anthropic: { base: server.url, credential: { kind: 'key', value: KEY } } },
      slots: new CallSlots(2),
      budgets: { pools: [], unpriced: false },
      mayCall: async () => {},
      secrets: [],
      hosts: [],
      note: async () => {},
    },
    { ...PORTS, socketDir: dir.path, gateways },
  );
  assert.equal(await ask(gateway.socket, gateway.token), 401);
  assert.equal(gateway.giveUpSignal.aborted, true);
  const again = ask(gateway.socket, gateway.token).catch(() => undefined);
  await eventually('it asks again', () => requests === 2);
  assert.deepEqual(
    (await gateway.calls()).map(({ error }) => error?.status),
    [401],
  );
  await gateway[Symbol.asyncDispose]();
  await again;
});

for (const [cli, kind, isOver] of [
  ['custom', 'main', true],
  ['claude', 'side', false],
] as const)
  test(`a plain call of ${cli} that is refused counts as ${kind}`, async () => {
    await using dir = await tempDir();
    await using gateways = testGateways('model-gateway');
    await using server = await serve((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    });
    const { gateway: settings, budget } = defaultSettings;
    await using gateway = await openGateway(
      {
        ...{ cli, model: null, settings, budget, replaceable: true, record: null },
        upstreams: { anthropic: { base: server.url, credential: { kind: 'key', value: KEY } } },
        slots: new CallSlots(2),
        budgets: { pools: [], unpriced: false },
        mayCall: async () => {},
        secrets: [],
        hosts: [],
        note: async () => {},
      },
      { ...PORTS, socketDir: dir.path, gateways },
    );
    assert.equal(await ask(gateway.socket, gateway.token, { tools: [] }), 401);
    const calls = await gateway.calls();
    assert.deepEqual(
      calls.map((call) => [call.kind, call.error?.status]),
      [[kind, 401]],
    );
    assert.equal(gateway.giveUpSignal.aborted, isOver);
  });
