/**
 * The cost of the gateway: how much later the first byte comes than without it, and how long the
 * event loop is blocked while fifty answers stream through. Costs of calls are recorded as in an
 * owner. The provider runs in a separate process, so that only the gateway is measured.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { localBudget } from '../src/gateway/budget/call-budget.ts';
import { Gateway } from '../src/gateway/gateway.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { runStream } from '../src/protocol/streams.ts';
import { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts';
import { submitted } from '../src/testing/conformance/journal-events.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';
import { runEvent } from '../test/support/run-event.ts';

type GatewayFigures = {
  /** The median delay of the first byte, by the size of the request. */
  readonly addedFirstByteMs: readonly { readonly bytes: number; readonly ms: number }[];
  /** How much later the first byte comes if the call before it was a turn of the agent. */
  readonly addedByTurnMs: number;
  readonly loopDelayP99Ms: number;
  readonly streams: number;
};

const TOKEN = 'bench-token-0123456789';
const SIZES = [80_000, 800_000, 3_000_000];
const WARM_CALLS = 100;
const STREAMS = 50;
const FRAMES = 200;
const FRAME_EVERY_MS = 10;

/** For the first byte, in ms, by the size of the request. */
const FIRST_BYTE_BARS = [3, 15, 60];
export async function figures(): Promise<readonly Figure[]> {
  const gateway = await measureGateway();
  return [
    ...gateway.addedFirstByteMs.map(({ bytes, ms }, at) => ({
      name: `gateway, ${bytes / 1000} kB asked`,
      value: ms,
      unit: 'ms',
      yardstick: 'first byte, over a direct call, median',
      atMost: FIRST_BYTE_BARS[at] ?? 0,
    })),
    {
      name: 'gateway, 3 MB with turns',
      value: gateway.addedByTurnMs,
      unit: 'ms',
      yardstick: 'first byte, over calls that are no turns, median',
      atMost: 5,
    },
    {
      name: `event-loop delay, ${gateway.streams} streams`,
      value: gateway.loopDelayP99Ms,
      unit: 'ms',
      yardstick: 'p99',
      atMost: 20,
    },
  ];
}

async function measureGateway(rounds = 51): Promise<GatewayFigures> {
  const provider = fork(fileURLToPath(import.meta.url), ['provider'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const [message] = (await once(provider, 'message')) as [{ port: number }];
    const base = `http://127.0.0.1:${message.port}`;
    await using folder = await tempDir();
    await using notes = await openNotes(`${folder.path}/journal.db`);
    await using gateway = await Gateway.start({
      listen: { port: 0 },
      token: TOKEN,
      upstreams: { anthropic: { base, credential: { kind: 'key', value: 'any' } } },
      clock: systemClock,
      onFact: (fact) => {
        if (fact.kind !== 'call-settled') return;
        const settled = [fact.call.number];
        void notes.add({ kind: 'spent', tokens: 1, usd: 0, calls: 1, settled });
      },
      budget: localBudget([], systemClock, {
        reserved: (call, { tokens, usd }) =>
          notes.add({ kind: 'reserved', call, tokens, usd: usd ?? 0 }),
      }),
    });
    const through = gateway.url ?? '';
    const addedFirstByteMs = [];
    // Warm up: an owner is long-lived, so its first calls do not count.
    for (let call = 0; call < WARM_CALLS; call += 1)
      for (const url of [base, through]) await firstByteMs(url, buildConversation(20_000), 'short');
    for (const bytes of SIZES) {
      const body = buildConversation(bytes);
      const more: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const direct = await firstByteMs(base, body, 'short');
        more.push((await firstByteMs(through, body, 'short')) - direct);
      }
      addedFirstByteMs.push({ bytes, ms: median(more) });
    }
    const addedByTurnMs = await turnMs(through, rounds);
    const loopDelayP99Ms = await loopDelay(through);
    return { addedFirstByteMs, addedByTurnMs, loopDelayP99Ms, streams: STREAMS };
  } finally {
    provider.kill();
    if (provider.exitCode === null && provider.signalCode === null) await once(provider, 'exit');
  }
}

/** The record of a turn is made when its answer has passed, so it can only delay the call after it. */
async function turnMs(url: string, rounds: number): Promise<number> {
  const more: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const body = buildToolConversation(3_000_000, round);
    const times: number[] = [];
    for (const kind of ['short', 'turn'] as const) {
      await firstByteMs(url, body, kind);
      times.push(await firstByteMs(url, body, kind));
    }
    const [without = 0, withTurn = 0] = times;
    more.push(withTurn - without);
  }
  return median(more);
}

/** A run whose notes are stored as durably as those of any. */
async function openNotes(
  path: string,
): Promise<AsyncDisposable & { readonly add: (note: object) => Promise<void> }> {
  const journal = SqliteJournal.open(path);
  const stream = runStream('0123456789');
  await journal.append(stream, 0, [submitted()], systemClock.now());
  let seq = 1;
  return {
    add: async (note) => {
      const event = runEvent({ type: 'command.noted', payload: { key: 'attempt-1', note } });
      seq += 1;
      await journal.append(stream, seq - 1, [event], systemClock.now());
    },
    [Symbol.asyncDispose]: () => journal.close(),
  };
}

async function loopDelay(url: string): Promise<number> {
  const body = buildConversation(20_000);
  const calls = Array.from({ length: STREAMS }, () => firstByteMs(url, body, 'long'));
  await new Promise((resolve) => setTimeout(resolve, 500)); // the streams, not their beginnings
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, (FRAMES * FRAME_EVERY_MS) / 2));
  delay.disable();
  await Promise.all(calls);
  return delay.percentile(99) / 1e6;
}

/** A conversation of many small turns, like an agent's. */
function buildConversation(bytes: number): string {
  const messages = [];
  for (let size = 0; size < bytes; size += 2000)
    messages.push({ role: size % 4000 === 0 ? 'user' : 'assistant', content: 'word '.repeat(390) });
  const tools = [{ name: 'Bash', input_schema: { type: 'object' } }];
  return JSON.stringify({
    model: 'claude-opus-4-8',
    max_tokens: 1000,
    stream: true,
    tools,
    messages,
  });
}

/** Tool calls with long outputs. The last one differs, so that each conversation is new. */
function buildToolConversation(bytes: number, round: number): string {
  const messages: object[] = [{ role: 'user', content: 'the task' }];
  for (let size = 0; size < bytes; size += 20_000) {
    const id = `call-${size}`;
    const input = { command: `cat ${size}-${round}.ts` };
    messages.push(
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: 'line\n'.repeat(4000) }],
      },
    );
  }
  const tools = [{ name: 'Bash', input_schema: { type: 'object' } }];
  const model = 'claude-opus-4-8';
  return JSON.stringify({ model, max_tokens: 1000, stream: true, tools, messages });
}

function firstByteMs(base: string, body: string, kind: 'short' | 'long' | 'turn'): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let first = Number.NaN;
    const asked = request(
      `${base}/v1/messages`,
      {
        method: 'POST',
        headers: { 'x-api-key': TOKEN, 'x-bench': kind, 'x-claude-code-session-id': 'bench' },
        agent: false,
      },
      (response) => {
        response.on(
          'data',
          () => (first = Number.isNaN(first) ? performance.now() - begun : first),
        );
        response.on('end', () => resolve(first));
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

function frame(text: string): string {
  const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** With it the answer is whole, and its call is a turn. */
const STOP = `event: message_delta\ndata: ${JSON.stringify({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  usage: { input_tokens: 10, output_tokens: 2 },
})}\n\n`;

/** Answers as a provider would, as soon as the whole request has arrived. */
function serveAsProvider(): void {
  const server = createServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (incoming.headers['x-bench'] === 'short') return void response.end(frame('done'));
      if (incoming.headers['x-bench'] === 'turn') return void response.end(frame('done') + STOP);
      let left = FRAMES;
      const timer = setInterval(() => {
        response.write(frame('word '.repeat(20)));
        left -= 1;
        if (left > 0) return;
        clearInterval(timer);
        response.end();
      }, FRAME_EVERY_MS);
    });
  });
  server.listen(0, '127.0.0.1', () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  );
}

if (process.argv[2] === 'provider' && process.send !== undefined) serveAsProvider();
