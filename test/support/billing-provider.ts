/**
 * A provider for budget tests that charges by its own count. It is as expensive as a provider can
 * be: each byte that it reads is a token, and each answer is as long as the request allows. It
 * charges in full when the request arrives, even if the caller does not read the answer.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Body } from './provider-count.ts';
import { answersAsked, outputAsked, tokensRead } from './provider-count.ts';

export type BillingOptions = {
  /**
   * `empty`: a good status and nothing else. `reset`: the connection breaks before an answer.
   * `gateway-timeout`: a proxy stopped waiting, and the model continued.
   */
  readonly answers?: 'well' | 'empty' | 'reset' | 'endless' | 'hang' | 'gateway-timeout';
};

export type BillingProvider = AsyncDisposable & {
  readonly url: string;
  /** US dollars. */
  readonly billed: () => number;
  readonly calls: () => number;
};

const M = 1_000_000;
const COUNTS = /\/count_tokens$|\/input_tokens$|:countTokens$/;
/** Prices for a million tokens of input and output, and the longest output in tokens. */
const RATES: Readonly<Record<string, readonly [input: number, output: number, max: number]>> = {
  'claude-opus-4-8': [5, 25, 128_000],
  'claude-sonnet-4-5': [3, 15, 64_000],
  'gpt-5.5': [5, 30, 128_000],
  'gpt-4o-2024-05-13': [5, 15, 16_384],
  'gpt-4o-mini': [0.15, 0.6, 16_384],
  'gemini-2.5-pro': [1.25, 10, 65_536],
  'gemini-2.5-flash': [0.3, 2.5, 65_536],
};
const DEAREST = [15, 120, 128_000] as const;
const SEARCH_USD = 0.01;
/** The price of a million audio tokens, for a model that reads text for less. */
const SOUND_USD = 1;
const CHUNK_TOKENS = 1000;
/** Far above any budget of a test, so that a cap that fails shows soon. */
const CHUNKS_MAX = 400;

export async function startBillingProvider({
  answers = 'well',
}: BillingOptions = {}): Promise<BillingProvider> {
  let billed = 0;
  let calls = 0;
  const server = createServer((request, response) => void serve(request, response));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    if (COUNTS.test(request.url ?? '')) {
      const tokens = tokensRead(JSON.parse(text) as Body, text, request.url ?? '');
      const counted = { input_tokens: tokens, totalTokens: tokens };
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(counted)); // counting is free
    }
    const bill = computeBill(
      request.url ?? '',
      text,
      request.headers['x-service-tier'] !== undefined,
    );
    calls += 1;
    response.on('error', () => undefined); // the caller disconnected
    if (answers === 'endless') {
      billed += bill.inputUsd;
      return endless(response, bill, (usd) => (billed += usd));
    }
    billed += bill.inputUsd + bill.outputTokens * bill.outputTokenUsd;
    if (answers === 'hang') return;
    if (answers === 'gateway-timeout')
      return void response.writeHead(504).end('upstream timed out');
    if (answers === 'reset') return void request.socket.resetAndDestroy();
    const isStream = text.includes('"stream":true') || (request.url ?? '').includes(':stream');
    response.writeHead(200, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
    });
    if (answers === 'empty') return void response.end();
    for (const event of answerTo(request.url ?? '', bill, isStream)) {
      response.write(isStream ? `data: ${JSON.stringify(event)}\n\n` : JSON.stringify(event));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    billed: () => billed,
    calls: () => calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Bill = {
  readonly inputTokens: number;
  readonly inputUsd: number;
  readonly outputTokens: number;
  readonly outputTokenUsd: number;
  /** Input was written to a cache with this lifetime. */
  readonly cached: '5m' | '1h' | null;
  readonly isSound: boolean;
};

function computeBill(url: string, text: string, isPriority: boolean): Bill {
  const body = JSON.parse(text) as Body;
  const named = typeof body['model'] === 'string' ? body['model'] : undefined;
  const model = (named ?? /models\/([^:]+):/.exec(url)?.[1] ?? '').replace('models/', '');
  const [written, output, max] = RATES[model] ?? DEAREST;
  const sound = text.includes('audio/') ? SOUND_USD : 0;
  const input = Math.max(written, sound);
  const inputTokens = tokensRead(body, text, url);
  const isLong = /gemini-2\.5-pro|sonnet-4-5/.test(model) && inputTokens > 200_000;
  const factor =
    (body['service_tier'] === 'priority' || isPriority ? 2.5 : 1) *
    (body['speed'] === 'fast' ? 6 : 1) *
    (body['inference_geo'] === 'us' ? 1.1 : 1);
  const cached = !text.includes('"cache_control"') ? null : text.includes('"1h"') ? '1h' : '5m';
  const cache = cached === null ? 1 : cached === '1h' ? 2 : 1.25;
  const each = url.includes('/compact') ? max : Math.min(max, outputAsked(body, text) || max);
  // Compaction at the provider is a separate pass, and no limit bounds its output.
  const passes = /compact_\d{8}|"compaction"/.test(text) ? 2 : 1;
  const searches = /web_search|googleSearch|google_search|web_search_options/.test(text) ? 20 : 0;
  return {
    inputTokens: inputTokens * passes,
    inputUsd:
      (inputTokens * passes * input * factor * cache * (isLong ? 2 : 1)) / M +
      searches * SEARCH_USD,
    outputTokens: passes === 1 ? each * answersAsked(body) : max,
    outputTokenUsd: (output * factor * (isLong ? 1.5 : 1)) / M,
    cached,
    isSound: sound > 0,
  };
}

function answerTo(url: string, bill: Bill, isStream: boolean): readonly object[] {
  const { inputTokens, outputTokens } = bill;
  const openai = { input_tokens: inputTokens, output_tokens: outputTokens };
  if (url.startsWith('/v1/messages')) {
    const usage = { ...readUsage(bill), output_tokens: outputTokens };
    const whole = { type: 'message', content: [], usage, stop_reason: 'max_tokens' };
    if (!isStream) return [whole];
    return [
      {
        type: 'message_start',
        message: { usage: { ...readUsage(bill), output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'word' } },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage },
    ];
  }
  if (url.includes('/compact'))
    return [{ object: 'response.compaction', output: [], usage: openai }];
  if (url.startsWith('/v1/responses')) {
    const response = { object: 'response', status: 'incomplete', output: [], usage: openai };
    return isStream ? [{ type: 'response.incomplete', response }] : [response];
  }
  if (url.startsWith('/v1/chat')) {
    const usage = { prompt_tokens: inputTokens, completion_tokens: outputTokens };
    const choices = [{ index: 0, delta: { content: 'word' }, finish_reason: 'length' }];
    return isStream ? [{ choices }, { choices: [], usage }] : [{ choices, usage }];
  }
  const promptTokensDetails = [
    { modality: bill.isSound ? 'AUDIO' : 'TEXT', tokenCount: inputTokens },
  ];
  const usageMetadata = {
    ...{ promptTokenCount: inputTokens, candidatesTokenCount: outputTokens },
    promptTokensDetails,
  };
  return [{ candidates: [{ finishReason: 'MAX_TOKENS' }], usageMetadata }];
}

function readUsage({ inputTokens, cached }: Bill): object {
  if (cached === null) return { input_tokens: inputTokens };
  const written = { [`ephemeral_${cached}_input_tokens`]: inputTokens };
  return {
    input_tokens: 0,
    cache_creation_input_tokens: inputTokens,
    cache_creation: written,
  };
}

/** Ignores limits, and charges for what it has written while the caller reads. */
async function endless(
  response: ServerResponse,
  { outputTokenUsd }: Bill,
  charge: (usd: number) => void,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const delta = { type: 'text_delta', text: 'word'.repeat(CHUNK_TOKENS) };
  const event = { type: 'content_block_delta', index: 0, delta };
  for (let left = CHUNKS_MAX; left > 0 && !response.destroyed; left -= 1) {
    charge(CHUNK_TOKENS * outputTokenUsd);
    const flows = response.write(`data: ${JSON.stringify(event)}\n\n`);
    if (!flows)
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    // As slow as a real model: it writes more only after the caller has read this.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  response.end();
}
