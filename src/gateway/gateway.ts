import { chmodSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { createServer } from '../host/net/http.ts';
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
import type { IncomingCall } from './calls/call-stages.ts';
import { hasToken } from './calls/headers.ts';
import { InputBounds } from './budget/input-bound.ts';
import type { OutageTerms } from './calls/outage-retries.ts';
import { OutageRetries } from './calls/outage-retries.ts';
import { measureJson } from './calls/json-caps.ts';
import { OutputEstimates } from './budget/output-estimates.ts';
import { PRICES } from '../prices/shipped-prices.ts';
import type { Price } from '../prices/price.ts';
import { readRequestBody, unpackBody } from './calls/read-request-body.ts';
import type { CallRecord } from './observe/record-calls.ts';
import { findRoute, wireForHeaders } from './calls/call-route.ts';
import { ToldMessages } from './observe/told-messages.ts';
import { TurnTracker } from './observe/gateway-turns.ts';
import { UnfinishedAnswers } from './observe/unfinished-answers.ts';
import { OutsideNetwork } from './network/upstream.ts';
import type { Upstream } from './network/upstream.ts';
import { WindowsSeen } from './observe/usage-windows.ts';
import type { WireName } from './wires/wire.ts';
import { WorkModel } from './observe/work-model.ts';

export type GatewayOptions = {
  /** A unix socket for the sandbox, or a loopback port for an agent without a sandbox. Port 0 takes any free port. */
  readonly listen: { readonly socket: string; readonly mode?: number } | { readonly port: number };
  /** The agent sends this token in place of a key. It is worthless once this gateway is closed. */
  readonly token: string;
  readonly upstreams: Readonly<Partial<Record<WireName, Upstream>>>;
  readonly clock: Clock;
  /** Handles CONNECT requests. Default: every tunnel is refused. */
  readonly tunnel?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Called synchronously, in order. It must not throw. */
  readonly onFact: (fact: GatewayFact) => void;
  /** The model that the attempt was configured to use. Default: the model of its first main call. */
  readonly model?: string;
  /** What calls without tools are for. Default: side calls, as in every known CLI. */
  readonly plainCalls?: PlainCalls;
  /** The longest wait for a provider limit that the gateway does itself. Longer waits are left to the agent. */
  readonly limitPatienceMs?: number;
  /** The same for outages, where the provider names no time. Default: an outage is forwarded at once. */
  readonly outage?: OutageTerms;
  /** Shared by all gateways of a project. Default: ten slots for this gateway alone. */
  readonly slots?: SlotSource;
  /** Called before each model call. Until it resolves, the agent sees a slow answer. Default: resolves at once. */
  readonly mayCall?: (signal: AbortSignal) => Promise<void>;
  /** Called before each model call that costs something. Default: no budget. */
  readonly budget?: CallBudget;
  /** Whether a budget limits the cost of calls. If so, the cost of each call must have a bound. */
  readonly costCapped?: boolean;
  /** Allow models without a price although money is capped. They count as free. */
  readonly unpriced?: boolean;
  /** Prices that override the built-in table. */
  readonly prices?: readonly Price[];
  /** Provider-side tools that the agent may use. Default: none. */
  readonly serverTools?: readonly string[];
  /** Hosts that may be in a private network. Default: none. */
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
 * Stands between one agent and its models. It forwards only model calls, to upstreams that are fixed when it starts.
 * It inserts the real credential and reports what it sees. The bytes of an answer pass unchanged.
 */
export class Gateway implements AsyncDisposable {
  readonly #http: Server;
  readonly #options: GatewayOptions;
  readonly #context: CallContext;
  readonly #closing = new AbortController();
  readonly #defects: unknown[] = [];
  readonly #serving = new Set<Promise<void>>();
  #rejectedCount = 0;

  static async start(options: GatewayOptions): Promise<Gateway> {
    const gateway = new Gateway(options);
    const { listen } = options;
    if ('socket' in listen) rmSync(listen.socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      gateway.#http.once('error', reject);
      if ('socket' in listen) gateway.#http.listen(listen.socket, resolve);
      else gateway.#http.listen(listen.port, '127.0.0.1', resolve);
    });
    // The folder of the socket is private, so no other user can connect before its mode is set.
    if ('socket' in listen) chmodSync(listen.socket, listen.mode ?? 0o600);
    return gateway;
  }

  private constructor(options: GatewayOptions) {
    const { clock, onFact } = options;
    let calls = 0;
    this.#options = options;
    this.#context = {
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
      report: (fact) => onFact({ ...fact, at: clock.now() }),
      record: options.record,
      nextNumber: () => (calls += 1),
      workModel: new WorkModel(options.model),
      windowsSeen: new WindowsSeen(),
      told: new ToldMessages(),
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
    this.#http.maxConnections = this.#context.bounds.connectionsMax;
    // Codex asks for a websocket first. On a 426 it falls back to plain HTTP at once.
    this.#http.on('upgrade', (_request: IncomingMessage, socket: Duplex) =>
      rejectUpgrade(socket, '426 Upgrade Required'),
    );
    this.#http.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (options.tunnel !== undefined) return options.tunnel(request, socket, head);
      this.#reportRejected('no-tunnel', `CONNECT ${request.url ?? ''}`);
      rejectUpgrade(socket, '405 Method Not Allowed');
    });
  }

  /** `http://127.0.0.1:port` on TCP; on a unix socket undefined. */
  get url(): string | undefined {
    const address = this.#http.address();
    return address === null || typeof address === 'string'
      ? undefined
      : `http://127.0.0.1:${address.port}`;
  }

  /** The messages that its agent is told. */
  get told(): ToldMessages {
    return this.#context.told;
  }

  /** Ends every call and makes the token worthless. Rejects with the defects of calls that failed in this gateway. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await Promise.all([closed, ...this.#serving]);
    this.#context.outside[Symbol.dispose]();
    const { listen } = this.#options;
    if ('socket' in listen) rmSync(listen.socket, { force: true });
    if (this.#defects.length > 0)
      throw new AggregateError(this.#defects, 'calls failed in the gateway');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const served = this.#serve(request, response)
      .catch((error: unknown) => {
        // No caller awaits this handler. The defect is stored for `close`, and the connection is destroyed so that
        // the agent does not wait for ever.
        if (request.complete) this.#defects.push(error);
        response.destroy();
      })
      .finally(() => this.#serving.delete(served));
    this.#serving.add(served);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    response.on('error', () => disconnected.abort()); // the agent has disconnected
    const incoming = await this.#admit(request, response);
    if (incoming === undefined) return;
    const signal = AbortSignal.any([disconnected.signal, this.#closing.signal]);
    await forwardCall(this.#context, incoming, response, signal);
  }

  /** The call, read completely, or undefined if it has been answered here. */
  async #admit(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<IncomingCall | undefined> {
    const { url = '', method = '', headers } = request;
    if (url === '/' && (method === 'HEAD' || method === 'GET')) {
      response.writeHead(200, { 'content-length': 0 }).end(); // a CLI checks whether the server is up
      return undefined;
    }
    const route = findRoute(method, url, headers);
    const refuse = (status: number, why: RejectReason, message: string): undefined => {
      this.#reportRejected(why, `${method} ${url.replace(/\?.*$/s, '')}`);
      const body = JSON.stringify(
        (route?.wire ?? wireForHeaders(headers)).refusal(status, why, message),
      );
      // The connection is closed, because part of the body may still be on its way.
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(body);
      request.resume();
    };
    if (!hasToken(headers, url, this.#options.token))
      return refuse(401, 'no-token', 'Unauthorized: missing or invalid gateway token.');
    if (route === undefined)
      return refuse(403, 'no-such-path', 'Forbidden: this path is not a model API.');
    const upstream = this.#context.upstreams[route.wire.name];
    if (upstream === undefined)
      return refuse(403, 'no-upstream', 'Forbidden: this run has no provider for this API.');
    const { requestBytesMax } = this.#context.bounds;
    const body = await readRequestBody(request, requestBytesMax);
    if (body === undefined) return refuse(413, 'too-large', 'The request is too large.');
    const unpacked = await unpackBody(body, headers['content-encoding'], requestBytesMax);
    if (unpacked.kind === 'unknown-encoding')
      return refuse(
        415,
        'unknown-encoding',
        'Unsupported content-encoding: use none, gzip, deflate, br or zstd.',
      );
    if (unpacked.kind === 'too-large')
      return refuse(413, 'too-large', 'The request is too large after decompression.');
    const text = unpacked.kind === 'text' ? unpacked.text : '';
    const { excess } = measureJson(text);
    if (excess !== null) return refuse(413, 'too-large', `The request body has ${excess}.`);
    const parsed = method === 'GET' ? {} : parseJson(text);
    if (unpacked.kind !== 'text' || !isRecord(parsed))
      return refuse(400, 'not-json', 'The request body is not a JSON object.');
    return { method, route, upstream, headers, body, text, parsed };
  }

  #reportRejected(why: RejectReason, what: string): void {
    const count = (this.#rejectedCount += 1);
    if (!isReportable(count)) return;
    this.#context.report({ kind: 'unexpected-request', why, what: what.slice(0, 200), count });
  }
}

type RejectReason = Extract<GatewayFact, { kind: 'unexpected-request' }>['why'];

function rejectUpgrade(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy()); // the agent has disconnected, so nothing is left to send
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
  socket.end(head, () => socket.destroy());
}
