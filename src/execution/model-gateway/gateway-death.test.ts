import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { getPriority } from 'node:os';
import type { Duplex } from 'node:stream';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { seededRandom } from '../../base/random.ts';
import { NO_CAPS } from '../../gateway/budget/budget-ledger.ts';
import { encodeMessage } from '../../gateway/channel/frames.ts';
import { CallSlots } from '../../gateway/calls/call-slots.ts';
import { BudgetPool } from '../../gateway/budget/budget-pool.ts';
import type { ProcessBounds } from '../../gateway/process/gateway-process.ts';
import { GatewayProcess } from '../../gateway/process/gateway-process.ts';
import { processLimits } from '../../gateway/process/process-limits.ts';
import { findCgroups } from '../../host/process/cgroup.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testGateways } from '../../../test/support/gateway-processes-fixture.ts';
import { serve } from '../../../test/support/gateway-harness.ts';
import { questionOn } from '../../testing/model-server/ask-model.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { gatewayProgram } from './gateway-program.ts';
import type { ModelGateway } from './model-gateway.ts';
import { openGateway } from './model-gateway.ts';

type Opened = AsyncDisposable & {
  readonly gateway: ModelGateway;
  readonly process: GatewayProcess;
  readonly notes: Record<string, Json>[];
  readonly run: BudgetPool;
  readonly slots: CallSlots;
};

async function opened(
  base: string,
  dir: string,
  bounds: Partial<ProcessBounds> = {},
): Promise<Opened> {
  const gateways = testGateways('gateway-process', bounds);
  const taken: GatewayProcess[] = [];
  const notes: Record<string, Json>[] = [];
  const slots = new CallSlots(2);
  const run = new BudgetPool('run', { ...NO_CAPS, usd: 5 }, at(0));
  const { gateway: settings, budget } = defaultSettings;
  const gateway = await openGateway(
    {
      ...{ cli: 'claude', model: null, settings, budget, replaceable: true, record: null },
      upstreams: { anthropic: { base, credential: { kind: 'key', value: 'sk-outside' } } },
      slots,
      budgets: { pools: [run], unpriced: false },
      mayCall: async () => {},
      secrets: [],
      hosts: [],
      note: async (note) => void notes.push(note),
    },
    {
      clock: systemClock,
      random: seededRandom(1),
      homeId: 'abcd1234',
      socketDir: dir,
      gateways: {
        take: (bytes) => {
          const process = gateways.take(bytes);
          taken.push(process);
          return process;
        },
      },
    },
  );
  const [process] = taken;
  assert.ok(process !== undefined);
  return {
    ...{ gateway, process, notes, run, slots },
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await gateways.close();
    },
  };
}

function ask({ socket, token }: ModelGateway): Promise<number | undefined> {
  const { path, headers, body } = questionOn('anthropic', 'hello');
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath: socket, path, method: 'POST', headers: { ...headers, 'x-api-key': token } },
      (answer) => answer.resume().on('end', () => resolve(answer.statusCode)),
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

describe('the process of a gateway (H3)', () => {
  test('that is killed in the middle of a call ends the attempt, and the call is paid for in full', async () => {
    await using dir = await tempDir();
    const arrived = Promise.withResolvers<void>();
    await using server = await serve(() => arrived.resolve()); // and never answers
    await using at = await opened(server.url, dir.path);
    const answer = ask(at.gateway).catch(() => 'broken');
    await arrived.promise;
    const reserved = at.run.ledger.reserved.usd;
    assert.ok(reserved > 0);
    assert.equal(at.gateway.failure(), null);
    process.kill(at.process.pid ?? 0, 'SIGKILL');
    assert.equal(await answer, 'broken');
    await eventually('the attempt is told', () => at.gateway.giveUpSignal.aborted);
    assert.equal(at.gateway.failure(), 'it was ended by SIGKILL');
    assert.deepEqual(
      [at.run.ledger.reserved.calls, at.run.ledger.spent.usd, at.run.ledger.spent.calls],
      [0, reserved, 1],
    );
    const never = new AbortController().signal;
    assert.ok((await at.slots.take(never)) !== undefined && (await at.slots.take(never)));
    await at.gateway[Symbol.asyncDispose]();
    const kinds = new Set(at.notes.map(({ kind }) => kind));
    assert.deepEqual(kinds, new Set(['reserved', 'spent', 'gateway-failed']));
    assert.equal(existsSync(at.gateway.socket), false);
  });

  test('that hangs is ended, and so is the attempt', async () => {
    await using dir = await tempDir();
    await using server = await serve(() => undefined);
    await using at = await opened(server.url, dir.path, { pingMs: 50, silenceMs: 1000 });
    process.kill(at.process.pid ?? 0, 'SIGSTOP');
    await eventually('the attempt is told', () => at.gateway.giveUpSignal.aborted);
    assert.equal(at.gateway.failure(), 'it has not answered for 1 s');
  });

  test('that hangs when it is closed is ended, and the journal says so', async () => {
    await using dir = await tempDir();
    await using server = await serve(() => undefined);
    await using at = await opened(server.url, dir.path, { closeMs: 200 });
    process.kill(at.process.pid ?? 0, 'SIGSTOP');
    await at.gateway[Symbol.asyncDispose]();
    assert.deepEqual(
      at.notes.map(({ kind }) => kind),
      ['gateway-failed'],
    );
    assert.equal(existsSync(at.gateway.socket), false);
  });

  test('that sends an invalid message is ended, even if it ignores the request', async () => {
    await using dir = await tempDir();
    const main = `${dir.path}/taken-over.cjs`;
    const frame = encodeMessage({ kind: 'settle', id: -1, cost: null }).toString('base64');
    const stays = `setInterval(() => {}, 1000); require('fs').writeSync(3, Buffer.from('${frame}', 'base64'));`;
    writeFileSync(main, stays);
    const taken = new GatewayProcess({
      ...{ clock: systemClock, node: process.execPath, main, env: {} },
      tag: `test-${process.pid}-taken-over/gateway/1`,
      limits: processLimits(1_000_000),
    });
    const cause = await taken.failed;
    await taken.kill();
    assert.doesNotMatch(cause, /^it /); // what was wrong with the message, not how the process ended
  });

  test('ends by itself when its owner dies, whatever it was doing', async () => {
    await using dir = await tempDir();
    const child = spawn(process.execPath, [gatewayProgram], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const exited = once(child, 'exit');
    const channel = child.stdio[3] as Duplex;
    const upstream = { base: 'http://127.0.0.1:9', credential: { kind: 'key', value: 'sk' } };
    const terms = {
      ...{ socket: `${dir.path}/gateway.s`, token: 'token', model: null, limitPatienceMs: 0 },
      plainCalls: 'side' as const,
      ...{ upstreams: { anthropic: upstream }, outage: { patienceMs: 0, replaceable: true } },
      ...{ unpriced: false, costCapped: false, prices: [], serverTools: [], privateHosts: [] },
      ...{ bounds: {}, tunnels: [], recording: null },
    };
    channel.write(encodeMessage({ kind: 'start', terms }));
    let output = '';
    channel.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
    await eventually('it listens', () => output.includes('"listening"'));
    const open = connect(terms.socket).on('error', () => {});
    await once(open, 'connect');
    channel.end();
    await exited;
    open.destroy();
  });

  const hasProc = existsSync('/proc/self/environ');
  const skip = hasProc ? false : 'missing: /proc';
  test(
    'has neither the key nor the token in its arguments or its environment',
    { skip },
    async () => {
      await using dir = await tempDir();
      await using server = await serve((_request, response) => response.end('{}'));
      await using at = await opened(server.url, dir.path);
      const seen = ['cmdline', 'environ']
        .map((file) => readFileSync(`/proc/${at.process.pid ?? 0}/${file}`, 'latin1'))
        .join('\n');
      assert.match(seen, /gateway-main/);
      assert.doesNotMatch(seen, /sk-outside/);
      assert.equal(seen.includes(at.gateway.token), false);
    },
  );

  test('has a lower priority than its owner', { skip }, async () => {
    await using dir = await tempDir();
    await using server = await serve((_request, response) => response.end('{}'));
    await using at = await opened(server.url, dir.path);
    const pid = at.process.pid ?? 0;
    // The system has no priority below 19, and these tests may themselves run at a low one.
    assert.equal(getPriority(pid), Math.min(getPriority() + 5, 19));
    const tasks = readdirSync(`/proc/${pid}/task`).map(Number);
    assert.ok(tasks.length > 1);
    assert.deepEqual(new Set(tasks.map(getPriority)), new Set([getPriority(pid)]));
  });

  const where = findCgroups();
  const noGroups = where.kind === 'none' ? `missing: ${where.why}` : false;
  test('has its own control group, and removes it', { skip: noGroups }, async () => {
    await using dir = await tempDir();
    await using server = await serve((_request, response) => response.end('{}'));
    const at = await opened(server.url, dir.path);
    const { group, heapBytes } = at.process.limits;
    assert.ok(group.folders.length > 0);
    const pid = String(at.process.pid);
    for (const folder of group.folders)
      assert.ok(readFileSync(`${folder}/cgroup.procs`, 'utf8').split('\n').includes(pid), folder);
    const memory = group.writes.find(([file]) => /memory\.(?:max|limit_in_bytes)$/.test(file));
    if (memory !== undefined)
      assert.ok(Number(readFileSync(memory[0], 'utf8')) < heapBytes + 400_000_000);
    const share = group.writes.find(([file]) => /cpu\.(?:weight|shares)$/.test(file));
    if (share !== undefined) assert.equal(readFileSync(share[0], 'utf8').trim(), share[1]);
    await at[Symbol.asyncDispose]();
    assert.deepEqual(group.folders.filter(existsSync), []);
  });
});
