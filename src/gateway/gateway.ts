import { chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { isRecord, parseJson } from '../base/json.ts';
import type { CallBudget } from './budget/call-budget.ts';
import { NO_BUDGET } from './budget/call-budget.ts';
import type { PlainCalls } from './calls/call-kinds.ts';
import { CallKinds } from './calls/call-kinds.ts';
import type { SlotSource } from './calls/call-slots.ts';
import { CallSlots } from './calls/call-slots.ts';
import { Conversations } from './calls/classify-call.ts';
import type { CallContext, GatewayBounds } from './call-context.ts';
import type { GatewayFact } from './gateway-facts.ts';
import { isReportable } from './gateway-facts.ts';
import { forwardCall } from './calls/forward-call.ts';
import type { IncomingCall } from './calls/exchange.ts';
import { knowsToken } from './calls/headers.ts';
import { InputBounds } from './budget/input-bound.ts';
import type { OutageTerms } from './calls/outage-retries.ts';
import { OutageRetries } from './calls/outage-retries.ts';
import { measureJson } from './calls/json-caps.ts';
import { OutputEstimates } from './budget/output-estimates.ts';
import { PRICES } from './budget/price-table.ts';
import type { Price } from './budget/prices.ts';
import { readRequestBody, unpackBody } from './calls/read-request-body.ts';
import type { CallRecord } from './observe/record-calls.ts';
import { findRoute, speakerFor } from './calls/call-route.ts';
import { TurnTracker } from './observe/gateway-turns.ts';
import { UnfinishedAnswers } from './observe/unfinished-answers.ts';
import { OutsideNetwork } from './network/upstream.ts';
import type { Upstream } from './network/upstream.ts';
import { WindowsSeen } from './observe/usage-windows.ts';
import type { WireName } from './wires/wire.ts';
import { WorkModel } from './observe/work-model.ts';

export type GatewayOptions = {
  /** A unix socket for the sandbox, a loopback port for an agent without one; 0 takes any. */
  readonly listen: { readonly socket: string; readonly mode?: number } | { readonly port: number };
  /** What the agent has in place of a key. It is worth nothing once this gateway is closed. */
  readonly token: string;
  readonly upstreams: Readonly<Partial<Record<WireName, Upstream>>>;
  readonly clock: Clock;
  /** Takes what asks for a tunnel. Default: nobody gets one. */
  readonly tunnel?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Told in order, synchronously. It must not throw. */
  readonly onFact: (fact: GatewayFact) => void;
  /** The model that the attempt was asked to use. Default: that of its first main call. */
  readonly model?: string;
  /** What calls without tools are. Default: on the side, as in each CLI that is known. */
  readonly plainCalls?: PlainCalls;
  /** The longest wait that is ours and not the agent's. */
  readonly limitPatienceMs?: number;
  /** The same where the provider has trouble and names no time. Default: it is passed on at once. */
  readonly outage?: OutageTerms;
  /** Shared by all gateways of a project. Default: ten calls of its own. */
  readonly slots?: SlotSource;
  /** Asked before each call: while it does not resolve, the agent sees a slow answer. Default: at once. */
  readonly mayCall?: (signal: AbortSignal) => Promise<void>;
  /** Asked before each call that costs something. Default: no budget. */
  readonly budget?: CallBudget;
  /** Whether a budget limits what calls cost: then each has to have a bound. */
  readonly costCapped?: boolean;
  /** Let models without a price through although money is capped; they count as free. */
  readonly unpriced?: boolean;
  /** Prices that go before the table's own. */
  readonly prices?: readonly Price[];
  /** Tools of providers that may be used. Default: none. */
  readonly serverTools?: readonly string[];
  /** Hosts that may lie in a private network. Default: none. */
  readonly privateHosts?: readonly string[];
  readonly bounds?: Partial<GatewayBounds>;
  /** Must return at once. */
  readonly record?: (call: CallRecord) => void;
};

const GATEWAY_BOUNDS: GatewayBounds = {
  requestBytesMax: 32_000_000,
  responseBytesMax: 256_000_000,
  connectionsMax: 256,
  callsMax: 64,
  firstByteMs: 180_000,
  silenceMs: 180_000,
};

const HEADER_BYTES_MAX = 65_536;
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;

/**
 * Stands between one agent and its models. It lets nothing but calls of models through, to upstreams
 * that are fixed when it starts; it puts the real credential in; and it tells what it sees. The
 * bytes of an answer pass untouched.
 */
export class Gateway implements AsyncDisposable {
  readonly #http: Server;
  readonly #options: GatewayOptions;
  readonly #desk: CallContext;
  readonly #closing = new AbortController();
  readonly #defects: unknown[] = [];
  readonly #serving = new Set<Promise<void>>();
  #strangers = 0;

  static async start(options: GatewayOptions): Promise<Gateway> {
    const gateway = new Gateway(options);
    const { listen } = options;
    if ('socket' in listen) rmSync(listen.socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      gateway.#http.once('error', reject);
      if ('socket' in listen) gateway.#http.listen(listen.socket, resolve);
      else gateway.#http.listen(listen.port, '127.0.0.1', resolve);
    });
    // Its folder is private, so there is no moment in which others can connect.
    if ('socket' in listen) chmodSync(listen.socket, listen.mode ?? 0o600);
    return gateway;
  }

  private constructor(options: GatewayOptions) {
    const { clock, onFact } = options;
    let calls = 0;
    this.#options = options;
    this.#desk = {
      clock,
      upstreams: options.upstreams,
      limitPatienceMs: options.limitPatienceMs ?? 60_000,
      outages: new OutageRetries(options.outage ?? { patienceMs: 0, replaceable: false }),
      slots: options.slots ?? new CallSlots(10),
      ownSlots: new CallSlots(options.bounds?.callsMax ?? GATEWAY_BOUNDS.callsMax),
      mayCall: options.mayCall ?? (() => Promise.resolve()),
      budget: options.budget ?? NO_BUDGET,
      costCapped: options.costCapped ?? false,
      unpriced: options.unpriced ?? false,
      prices: [...(options.prices ?? []), ...PRICES.prices],
      bounds: { ...GATEWAY_BOUNDS, ...options.bounds },
      outside: new OutsideNetwork(options.privateHosts),
      conversations: new Conversations(),
      kinds: new CallKinds(options.plainCalls ?? 'side'),
      turns: new TurnTracker(),
      unfinished: new UnfinishedAnswers(),
      sizes: new OutputEstimates(),
      inputs: new InputBounds(),
      serverTools: new Set(options.serverTools ?? []),
      tell: (fact) => onFact({ ...fact, at: clock.now() }),
      record: options.record,
      nextNumber: () => (calls += 1),
      workModel: new WorkModel(options.model),
      windowsSeen: new WindowsSeen(),
    };
    this.#http = createServer(
      {
        maxHeaderSize: HEADER_BYTES_MAX,
        headersTimeout: HEADERS_MS,
        requestTimeout: REQUEST_MS,
        connectionsCheckingInterval: HEADERS_MS,
      },
      (request, response) => this.#begin(request, response),
    );
    this.#http.maxConnections = this.#desk.bounds.connectionsMax;
    // Codex asks for a websocket first; told 426, it falls back to plain HTTP at once.
    this.#http.on('upgrade', (_request: IncomingMessage, socket: Duplex) =>
      dismiss(socket, '426 Upgrade Required'),
    );
    this.#http.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (options.tunnel !== undefined) return options.tunnel(request, socket, head);
      this.#tellStranger('no-tunnel', `CONNECT ${request.url ?? ''}`);
      dismiss(socket, '405 Method Not Allowed');
    });
  }

  /** `http://127.0.0.1:port` on TCP; on a unix socket undefined. */
  get url(): string | undefined {
    const address = this.#http.address();
    return address === null || typeof address === 'string'
      ? undefined
      : `http://127.0.0.1:${address.port}`;
  }

  /** Ends every call. The token is worth nothing from here on. Rejects with defects of ours. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await Promise.all([closed, ...this.#serving]);
    this.#desk.outside[Symbol.dispose]();
    const { listen } = this.#options;
    if ('socket' in listen) rmSync(listen.socket, { force: true });
    if (this.#defects.length > 0) throw new AggregateError(this.#defects, 'a gateway failed');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const served = this.#serve(request, response)
      .catch((error: unknown) => {
        // Nobody awaits a handler: the defect is kept for `close`, and the agent must not wait for ever.
        if (request.complete) this.#defects.push(error);
        response.destroy();
      })
      .finally(() => this.#serving.delete(served));
    this.#serving.add(served);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    response.on('error', () => left.abort()); // the agent is gone
    const incoming = await this.#admit(request, response);
    if (incoming === undefined) return;
    const signal = AbortSignal.any([left.signal, this.#closing.signal]);
    await forwardCall(this.#desk, incoming, response, signal);
  }

  /** The call, read whole, or undefined when it has been answered here. */
  async #admit(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<IncomingCall | undefined> {
    const { url = '', method = '', headers } = request;
    if (url === '/' && (method === 'HEAD' || method === 'GET')) {
      response.writeHead(200, { 'content-length': 0 }).end(); // a CLI asks whether anybody is there
      return undefined;
    }
    const route = findRoute(method, url, headers);
    const refuse = (status: number, why: Why, message: string): undefined => {
      this.#tellStranger(why, `${method} ${url.replace(/\?.*$/s, '')}`);
      const body = JSON.stringify(
        (route?.wire ?? speakerFor(headers)).refusal(status, why, message),
      );
      // The connection is not kept: part of a body may still be on its way.
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(body);
      request.resume();
    };
    if (!knowsToken(headers, url, this.#options.token))
      return refuse(401, 'no-token', 'This gateway does not know you.');
    if (route === undefined) return refuse(403, 'no-such-path', 'No call of a model.');
    const upstream = this.#desk.upstreams[route.wire.name];
    if (upstream === undefined) return refuse(403, 'no-upstream', 'This run has no such provider.');
    const { requestBytesMax } = this.#desk.bounds;
    const body = await readRequestBody(request, requestBytesMax);
    if (body === undefined) return refuse(413, 'too-large', 'The request is too large.');
    const unpacked = await unpackBody(body, headers['content-encoding'], requestBytesMax);
    if (unpacked.kind === 'unknown-encoding')
      return refuse(415, 'unknown-encoding', 'The body may be plain, gzip, deflate, br or zstd.');
    if (unpacked.kind === 'too-large')
      return refuse(413, 'too-large', 'The request unpacks to more than it may.');
    const text = unpacked.kind === 'text' ? unpacked.text : '';
    const { excess } = measureJson(text);
    if (excess !== null) return refuse(413, 'too-large', `The body of the request has ${excess}.`);
    const parsed = method === 'GET' ? {} : parseJson(text);
    if (unpacked.kind !== 'text' || !isRecord(parsed))
      return refuse(400, 'not-json', 'The body is no JSON object.');
    return { method, route, upstream, headers, body, text, parsed };
  }

  #tellStranger(why: Why, what: string): void {
    const count = (this.#strangers += 1);
    if (!isReportable(count)) return;
    this.#desk.tell({ kind: 'stranger-refused', why, what: what.slice(0, 200), count });
  }
}

type Why = Extract<GatewayFact, { kind: 'stranger-refused' }>['why'];

function dismiss(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy()); // the agent is gone: nothing is owed to it
  const words = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
  socket.end(words, () => socket.destroy());
}
