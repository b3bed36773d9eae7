/**
 * Twelve agents send requests that are small on the wire and large once they are read: the cost for
 * all other runs.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { ModelGateway } from '../src/execution/model-gateway/model-gateway.ts';
import { openGateway } from '../src/execution/model-gateway/model-gateway.ts';
import { seededRandom } from '../src/base/random.ts';
import { CallSlots } from '../src/gateway/calls/call-slots.ts';
import type { GatewayProcess } from '../src/gateway/process/gateway-process.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { defaultSettings } from '../src/settings/settings.ts';
import { testGateways } from '../test/support/gateway-processes-fixture.ts';
import { serve } from '../test/support/gateway-harness.ts';
import { questionOn } from '../src/testing/model-server/ask-model.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

const HOSTILE = 12;
const CALLS = 40;
const MB = 1_000_000;

export async function figures(): Promise<readonly Figure[]> {
  await using dir = await tempDir();
  // In a separate process, as a provider is: a long text is no bomb and is passed on.
  await using provider = await forkedProvider();
  await using gateways = testGateways('bombs');
  const taken: GatewayProcess[] = [];
  const random = seededRandom(1);
  const open = (): Promise<ModelGateway> => opened(provider.url, dir.path, random, gateways, taken);
  const coldAt = performance.now();
  const other = await open();
  const coldMs = performance.now() - coldAt;
  await sleep(3000); // the spare is loaded by now
  const warmAt = performance.now();
  const hostile = [await open()];
  const warmMs = performance.now() - warmAt;
  for (let count = 1; count < HOSTILE; count += 1) hostile.push(await open());
  for (let count = 0; count < 300; count += 1) await callMs(other); // an owner is warm
  const quiet = await makeCalls(other, (calls) => calls < CALLS);
  const idleMb = memoryMb(taken[0]?.pid);
  const before = process.memoryUsage.rss();
  const attack = fork(fileURLToPath(import.meta.url), ['attack'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  attack.send(hostile.map(({ socket, token }) => ({ socket, token })));
  let isOver = false;
  let most = before;
  const ended = once(attack, 'exit').then(() => (isOver = true));
  await once(attack, 'message'); // the first round is on its way
  const under = await makeCalls(other, () => {
    most = Math.max(most, process.memoryUsage.rss());
    return !isOver;
  });
  await ended;
  for (const one of [other, ...hostile]) await one[Symbol.asyncDispose]();
  const late = under.toSorted((a, b) => a - b);
  return [
    {
      name: 'call beside twelve bombs, median',
      value: median(under) - median(quiet),
      unit: 'ms',
      yardstick: 'more than without',
      atMost: 50,
    },
    {
      name: 'call beside twelve bombs, p95',
      value: (late[Math.floor(late.length * 0.95)] ?? NaN) - median(quiet),
      unit: 'ms',
      yardstick: `of ${late.length} calls`,
    },
    {
      name: 'owner under twelve bombs',
      value: (most - before) / MB,
      unit: 'MB',
      yardstick: 'resident before',
      atMost: 50,
    },
    {
      name: 'gateway started, none ready',
      value: coldMs,
      unit: 'ms',
      yardstick: 'a process is loaded',
    },
    {
      name: 'gateway started, one ready',
      value: warmMs,
      unit: 'ms',
      yardstick: 'of a process that is loaded',
    },
    { name: 'idle gateway', value: idleMb, unit: 'MB', yardstick: 'memory of its own' },
  ];
}

async function opened(
  base: string,
  socketDir: string,
  random: ReturnType<typeof seededRandom>,
  gateways: ReturnType<typeof testGateways>,
  taken: GatewayProcess[],
): Promise<ModelGateway> {
  const { gateway: settings, budget } = defaultSettings;
  return openGateway(
    {
      ...{ cli: 'claude', model: null, settings, budget, replaceable: true, record: null },
      upstreams: { anthropic: { base, credential: { kind: 'key', value: 'sk-outside' } } },
      slots: new CallSlots(10),
      budgets: { pools: [], unpriced: false },
      mayCall: async () => {},
      secrets: [],
      hosts: [],
      note: async () => {},
    },
    {
      clock: systemClock,
      random,
      homeId: 'abcd1234',
      socketDir,
      gateways: {
        take: (bytes) => {
          const process = gateways.take(bytes);
          taken.push(process);
          return process;
        },
      },
    },
  );
}

/** Call after call, for as long as there is something to measure. */
async function makeCalls(
  gateway: ModelGateway,
  isOn: (calls: number) => boolean,
): Promise<readonly number[]> {
  const took: number[] = [];
  while (isOn(took.length)) {
    took.push(await callMs(gateway));
    await sleep(10);
  }
  return took;
}

function callMs({ socket, token }: Pick<ModelGateway, 'socket' | 'token'>): Promise<number> {
  const { path, headers, body } = questionOn('anthropic', 'hello');
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const given = { ...headers, 'x-api-key': token };
    const asked = request({ socketPath: socket, path, method: 'POST', headers: given }, (answer) =>
      answer.resume().on('end', () => resolve(performance.now() - start)),
    );
    asked.on('error', reject).end(JSON.stringify(body));
  });
}

async function forkedProvider(): Promise<AsyncDisposable & { readonly url: string }> {
  const child = fork(fileURLToPath(import.meta.url), ['provider'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function provide(): Promise<void> {
  const { url } = await serve((asked, answer) => {
    asked.resume().on('end', () => answer.end('{"stop_reason":"end_turn"}'));
  });
  process.send?.(url);
}

/** Its private memory: the program itself is shared by all. */
function memoryMb(pid = 0): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Private_Dirty:\s+(\d+)/m.exec(text)?.[1] ?? Number.NaN) / 1024;
}

function bombs(): readonly { readonly encoding: string; readonly body: Buffer }[] {
  const objects = Buffer.from(`{"messages":[${'{},'.repeat(10 * MB)}{}]}`);
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  return [
    { encoding: 'gzip', body: gzipSync(objects) },
    { encoding: 'identity', body: objects },
    { encoding: 'deflate', body: deflateSync(objects) },
    { encoding: 'br', body: brotliCompressSync(objects, fast) },
    { encoding: 'zstd', body: zstdCompressSync(objects) },
    { encoding: 'identity', body: Buffer.from(`{"a":${'['.repeat(15 * MB)}`) },
    { encoding: 'identity', body: Buffer.from(`{"a":[${'1,'.repeat(15 * MB)}1]}`) },
    { encoding: 'identity', body: Buffer.from(`{"a":"${'x'.repeat(30 * MB)}"}`) },
  ];
}

async function attack(targets: readonly Pick<ModelGateway, 'socket' | 'token'>[]): Promise<void> {
  const all = bombs();
  process.send?.('begun');
  for (const { encoding, body } of all)
    await Promise.all(
      targets.map(
        ({ socket, token }) =>
          new Promise<void>((resolve) => {
            const headers = { 'x-api-key': token, 'content-encoding': encoding };
            const asked = request(
              { socketPath: socket, path: '/v1/messages', method: 'POST', headers },
              (answer) => answer.resume().on('close', resolve),
            );
            asked.on('error', () => resolve()).end(body);
          }),
      ),
    );
  process.disconnect();
}

if (process.argv[2] === 'provider') void provide();
if (process.argv[2] === 'attack')
  process.once('message', (targets) => void attack(targets as Parameters<typeof attack>[0]));
