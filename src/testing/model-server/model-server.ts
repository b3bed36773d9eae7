import { randomInt } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from '../../host/net/http.ts';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import { systemClock } from '../../host/machine/system-clock.ts';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { IncomingRequest } from './admit-request.ts';
import type { anthropicRules } from './anthropic/anthropic-model.ts';
import type { ResponseDecision, ResponseContext } from './decide-response.ts';
import { decideResponse } from './decide-response.ts';
import type { FaultRule } from './model-faults.ts';
import { Faults } from './model-faults.ts';
import type { geminiRules } from './gemini/gemini-rules.ts';
import type { RecordedExchange } from './request-journal.ts';
import { RequestJournal, withoutKey, withoutSecrets } from './request-journal.ts';
import { Conversations } from '../../gateway/calls/classify-call.ts';
import type { chatRules } from './openai-chat/openai-chat-rules.ts';
import type { responsesRules } from './openai-responses/openai-responses-rules.ts';
import { readModelBody } from './read-model-body.ts';
import { findModelRoute } from './model-route.ts';
import type { ScriptedAnswer, Script, ScriptFunction } from './model-script.ts';
import { sendResponse, sendBrokenResponse } from './send-response.ts';

/** A rule of the real API that this server can be told not to enforce. */
export type RuleName =
  | `anthropic:${keyof typeof anthropicRules}`
  | `openai-responses:${keyof typeof responsesRules}`
  | `openai-chat:${keyof typeof chatRules}`
  | `gemini:${keyof typeof geminiRules}`;

export type ModelServerOptions = {
  /** With several, the first whose `when` fits the conversation is played. */
  readonly script: Script | readonly Script[] | ScriptFunction;
  /**
   * The answer to side calls. Default: a short text, or the smallest value that the requested
   * schema allows.
   */
  readonly side?: ScriptedAnswer;
  readonly faults?: readonly FaultRule[];
  /** Rules that are not enforced; a broken one is still recorded in the journal. */
  readonly tolerate?: readonly RuleName[];
  /** Accepted keys. Default: any that is not blank. */
  readonly keys?: readonly string[];
  /** Models that exist. Default: all. */
  readonly models?: readonly string[];
  readonly clock?: Clock;
  readonly requestBytesMax?: number;
  readonly journalCountMax?: number;
  readonly journalBytesMax?: number;
};

const MIB = 1024 * 1024;

/**
 * A model provider on this machine: the Anthropic Messages, OpenAI Responses, OpenAI Chat and
 * Gemini APIs on one loopback port. A real agent CLI can work through a script without spending a
 * token. It is strict: it refuses what the real APIs refuse, with their messages, so that a test
 * with it proves something. It records every request, and it can fail in all the ways that
 * providers and networks do.
 * It uses the machine's clock only if it gets no other one. Closing it ends every connection, hung
 * ones too.
 */
export class ModelServer implements AsyncDisposable {
  readonly #http: Server;
  readonly #harness: ResponseContext;
  readonly #journal: RequestJournal;
  readonly #requestBytesMax: number;
  readonly #closing = new AbortController();
  readonly #defects: unknown[] = [];
  #count = 0;

  static async start(options: ModelServerOptions): Promise<ModelServer> {
    const server = new ModelServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#http.once('error', reject);
      server.#http.listen(0, '127.0.0.1', resolve);
    });
    return server;
  }

  private constructor(options: ModelServerOptions) {
    const { script } = options;
    // Ids differ from server to server: a conversation that is resumed at the next one must not
    // meet its own ids.
    const tag = randomInt(2 ** 40).toString(36);
    let ids = 0;
    this.#harness = {
      clock: options.clock ?? systemClock,
      script: typeof script === 'function' ? script : [script].flat(),
      side: options.side,
      faults: new Faults(options.faults),
      conversations: new Conversations(),
      tolerate: new Set(options.tolerate),
      keys: options.keys,
      models: options.models,
      nextId: () => `${tag}${String((ids += 1)).padStart(6, '0')}`,
    };
    this.#requestBytesMax = options.requestBytesMax ?? 32 * MIB;
    this.#journal = new RequestJournal({
      countMax: options.journalCountMax ?? 1000,
      bytesMax: options.journalBytesMax ?? 64 * MIB,
    });
    this.#http = createServer((request, response) => void this.#serve(request, response));
    this.#http.on('upgrade', (request, socket) => this.#refuseUpgrade(request, socket));
  }

  /** `http://127.0.0.1:port`: the base of the Anthropic and Gemini wires; OpenAI's add `/v1`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Every request so far, oldest first, within the journal's bounds. */
  journal(): readonly RecordedExchange[] {
    return this.#journal.all();
  }

  /** How many requests the journal has dropped to stay within its bounds. */
  get forgotten(): number {
    return this.#journal.dropped;
  }

  /** The first request that fits, past or future. Rejects when the signal aborts. */
  waitForRequest(
    fits: (exchange: RecordedExchange) => boolean,
    signal: AbortSignal,
  ): Promise<RecordedExchange> {
    return this.#journal.wait(fits, signal);
  }

  /** Adds a pending fault. */
  inject(rule: FaultRule): void {
    this.#harness.faults.add(rule);
  }

  clearFaults(): void {
    this.#harness.faults.clear();
  }

  /** Ends every connection. Rejects with the error of a script function, if it threw one. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await closed;
    if (this.#defects.length > 0)
      throw new AggregateError(this.#defects, 'the script of a model server failed');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = (this.#count += 1);
    const arrivedAt = this.#harness.clock.now();
    try {
      const incoming: IncomingRequest = {
        url: request.url ?? '/',
        method: request.method ?? 'GET',
        headers: readHeaders(request),
        body: await readModelBody(request, this.#requestBytesMax),
      };
      const route = findModelRoute(incoming.method, incoming.url, incoming.headers);
      const decision = decideResponse(incoming, route, this.#harness);
      this.#record(number, arrivedAt, incoming, route.wire.name, decision);
      this.#journal.end(number, await this.#speak(response, decision));
    } catch (error) {
      // No code awaits a handler: the defect is stored for `close`, and the client must not wait
      // for ever. An incomplete request is the client's fault.
      if (request.complete) this.#defects.push(error);
      if (!response.headersSent) response.writeHead(500).end(describeError(error));
      else response.destroy();
    }
  }

  #speak(response: ServerResponse, { responseStream, fault }: ResponseDecision) {
    return fault === undefined
      ? sendResponse(response, responseStream)
      : sendBrokenResponse(
          response,
          responseStream,
          fault,
          this.#harness.clock,
          this.#closing.signal,
        );
  }

  #record(
    number: number,
    arrivedAt: RecordedExchange['at'],
    incoming: IncomingRequest,
    wire: RecordedExchange['wire'],
    { responseStream, fault: _fault, ...about }: ResponseDecision,
  ): void {
    this.#journal.add({
      number,
      at: arrivedAt,
      method: incoming.method,
      path: withoutKey(incoming.url),
      wire,
      headers: withoutSecrets(incoming.headers),
      bytes: incoming.body?.length ?? 0,
      status: responseStream.status,
      end: 'open',
      ...about,
    });
  }

  /** Codex tries a websocket first; after a 426 it falls back to plain HTTP at once. */
  #refuseUpgrade(request: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy()); // the client is gone and needs no answer
    socket.end('HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    const incoming: IncomingRequest = {
      url: request.url ?? '/',
      method: request.method ?? 'GET',
      headers: readHeaders(request),
      body: Buffer.alloc(0),
    };
    const number = (this.#count += 1);
    this.#record(number, this.#harness.clock.now(), incoming, 'openai-responses', {
      kind: 'probe',
      conversation: this.#harness.conversations.identify(incoming.headers, []),
      model: '',
      stream: false,
      toolResults: 0,
      body: undefined,
      tolerated: [],
      answered: { kind: 'probe' },
      responseStream: { status: 426, headers: {}, frames: [], errorFrame: '' },
    });
    this.#journal.end(number, 'sent');
  }
}

function readHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}
