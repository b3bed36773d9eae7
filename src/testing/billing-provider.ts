/**
 * A provider that charges by its own count, for tests of budgets. It is the dearest that there can be: each
 * byte that it reads is a token, each answer is as long as the request allows, and it is charged in full as
 * soon as the request is here, whether or not the caller stays to read it.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../base/json.ts';
import { firstMaxTokens } from './first-key.ts';

type Body = Readonly<Record<string, unknown>>;

export type BillingOptions = {
  /** `empty`: a good status and nothing else. `reset`: the connection breaks before an answer. */
  readonly answers?: 'well' | 'empty' | 'reset' | 'endless' | 'hang';
};

export type BillingProvider = AsyncDisposable & {
  readonly url: string;
  /** US dollars. */
  readonly billed: () => number;
  readonly calls: () => number;
};

const M = 1_000_000;
/** Input, output and the most that is written, for a million tokens. */
const RATES: Readonly<Record<string, readonly [input: number, output: number, max: number]>> = {
  'claude-opus-4-8': [5, 25, 128_000],
  'claude-sonnet-4-5': [3, 15, 64_000],
  'gpt-5.5': [5, 30, 128_000],
  'gpt-4o-2024-05-13': [5, 15, 16_384],
  'gemini-2.5-pro': [1.25, 10, 65_536],
  'gemini-2.5-flash': [0.3, 2.5, 65_536],
};
const DEAREST = [15, 120, 128_000] as const;
const STORED_TOKENS = 200_000;
const PAGES_TOKENS = 500_000;
const SEARCH_USD = 0.01;
const CHUNK_TOKENS = 1000;
/** Far beyond any budget of a test, so that a cap that does not hold is seen soon. */
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
    const bill = billOf(request.url ?? '', text, request.headers['x-service-tier'] !== undefined);
    calls += 1;
    response.on('error', () => undefined); // the caller has left
    if (answers === 'endless') {
      billed += bill.inputUsd;
      return endless(response, bill, (usd) => (billed += usd));
    }
    billed += bill.inputUsd + bill.outputTokens * bill.outputTokenUsd;
    if (answers === 'hang') return;
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
};

function billOf(url: string, text: string, isPriority: boolean): Bill {
  const body = JSON.parse(text) as Body;
  const named = typeof body['model'] === 'string' ? body['model'] : undefined;
  const model = (named ?? /models\/([^:]+):/.exec(url)?.[1] ?? '').replace('models/', '');
  const [input, output, max] = RATES[model] ?? DEAREST;
  const config = configOf(body);
  const stored = ['previous_response_id', 'conversation', 'cachedContent', 'cached_content'];
  const inputTokens =
    Buffer.byteLength(text) +
    (stored.some((key) => body[key] !== undefined) ? STORED_TOKENS : 0) +
    (text.includes('application/pdf') ? PAGES_TOKENS : 0) +
    (text.match(/"image\/|data:image/g)?.length ?? 0) * 5000;
  const isLong = model.includes('gemini-2.5-pro') && inputTokens > 200_000;
  const isLongSonnet = model.includes('sonnet-4-5') && inputTokens > 200_000;
  const factor =
    (body['service_tier'] === 'priority' || isPriority ? 2.5 : 1) *
    (body['speed'] === 'fast' ? 6 : 1) *
    (body['inference_geo'] === 'us' ? 1.1 : 1);
  const cache = text.includes('"cache_control"') ? (text.includes('"1h"') ? 2 : 1.25) : 1;
  const asked = [
    // Which of two equal keys counts is for each server to say: this one takes the first.
    firstMaxTokens(text),
    body['max_completion_tokens'],
    body['max_output_tokens'],
    config['maxOutputTokens'],
    config['max_output_tokens'],
  ]
    .map(Number)
    .filter((tokens) => tokens > 0);
  const each = url.includes('/compact') ? max : Math.min(max, Math.max(0, ...asked) || max);
  const answers = Number(
    body['n'] ?? body['best_of'] ?? config['candidateCount'] ?? config['candidate_count'] ?? 1,
  );
  const searches = /web_search|googleSearch|web_search_options/.test(text) ? 20 : 0;
  return {
    inputTokens,
    inputUsd:
      (inputTokens * input * factor * cache * (isLong || isLongSonnet ? 2 : 1)) / M +
      searches * SEARCH_USD,
    outputTokens: each * answers,
    outputTokenUsd: (output * factor * (isLong || isLongSonnet ? 1.5 : 1)) / M,
  };
}

function configOf(body: Body): Body {
  const config = body['generationConfig'] ?? body['generation_config'];
  return isRecord(config) ? config : {};
}

function answerTo(url: string, bill: Bill, isStream: boolean): readonly object[] {
  const { inputTokens, outputTokens } = bill;
  const openai = { input_tokens: inputTokens, output_tokens: outputTokens };
  if (url.startsWith('/v1/messages')) {
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
    const whole = { type: 'message', content: [], usage, stop_reason: 'max_tokens' };
    if (!isStream) return [whole];
    return [
      {
        type: 'message_start',
        message: { usage: { input_tokens: inputTokens, output_tokens: 1 } },
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
  const usageMetadata = { promptTokenCount: inputTokens, candidatesTokenCount: outputTokens };
  return [{ candidates: [{ finishReason: 'MAX_TOKENS' }], usageMetadata }];
}

/** Heeds no limit, and charges for what it has written while somebody reads. */
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
    // As slowly as any model writes: the caller has read this before there is more.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  response.end();
}
