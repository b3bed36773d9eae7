import { chmodSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Instant } from '../../base/clock.ts';
import { createServer } from '../../host/net/http.ts';
import { parseHostPort } from './host-port.ts';
import type { HostPort } from './host-port.ts';
import { isReportable } from '../gateway-facts.ts';
import { isSame } from '../calls/headers.ts';
import type { NetworkReach } from './private-addresses.ts';
import { mayDial } from './private-addresses.ts';
import { joinStreams } from './join-streams.ts';
import type { JoinEnd } from './join-streams.ts';

export type AllowedHost = HostPort & NetworkReach;

/** The network, as far as the proxy needs it. */
export interface ProxyNetwork {
  /** All addresses of a name. Rejects if it has none. */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** A connection to exactly this address. */
  dial(address: string, port: number, signal: AbortSignal): Promise<Duplex>;
}

export type ProxyRefusal =
  | 'not-connect'
  | 'no-token'
  | 'bad-authority'
  | 'not-allowed'
  | 'special-address'
  | 'unresolved'
  | 'unreachable'
  | 'too-many';

export type ProxyFact = { readonly at: Instant; readonly target: string } & (
  | { readonly kind: 'tunnel-opened'; readonly address: string }
  | {
      readonly kind: 'tunnel-closed';
      readonly end: JoinEnd;
      readonly bytesOut: number;
      readonly bytesIn: number;
    }
  | {
      readonly kind: 'tunnel-refused';
      readonly why: ProxyRefusal;
      /** How many there have been. Beyond a hundred, only each doubling is reported. */
      readonly count: number;
    }
);

export type ProxyBounds = {
  readonly tunnelsMax: number;
  readonly bytesMax: number;
  readonly dialMs: number;
  readonly silenceMs: number;
};

export type ConnectProxyOptions = {
  /** Null: the proxy does not listen itself; `take` passes connections to it. */
  readonly listen:
    | { readonly socket: string; readonly mode?: number }
    | { readonly port: number }
    | null;
  readonly allow: readonly AllowedHost[];
  /** If set, clients must send it as the proxy password. A private socket needs none. */
  readonly token?: string;
  readonly network: ProxyNetwork;
  readonly clock: Clock;
  readonly onFact: (fact: ProxyFact) => void;
  readonly bounds?: Partial<ProxyBounds>;
};

const PROXY_BOUNDS: ProxyBounds = {
  tunnelsMax: 64,
  bytesMax: 2_000_000_000,
  dialMs: 20_000,
  silenceMs: 600_000,
};

const STATUS: Readonly<Record<ProxyRefusal, string>> = {
  'not-connect': '405 Method Not Allowed',
  'no-token': '407 Proxy Authentication Required',
  'bad-authority': '400 Bad Request',
  'not-allowed': '403 Forbidden',
  'special-address': '403 Forbidden',
  unresolved: '502 Bad Gateway',
  unreachable: '502 Bad Gateway',
  'too-many': '503 Service Unavailable',
};
const TARGET_CHARS_MAX = 300;

/**
 * Opens tunnels to listed hosts and ports, and to nothing else, for programs whose base URL cannot be changed. A name
 * is resolved once, every address is checked, and only a checked address is dialled. The proxy does not inspect the
 * bytes in a tunnel.
 */
export class ConnectProxy implements AsyncDisposable {
  readonly #http: Server;
  readonly #options: ConnectProxyOptions;
  readonly #bounds: ProxyBounds;
  readonly #closing = new AbortController();
  readonly #open = new Set<Promise<void>>();
  #refused = 0;

  static async start(options: ConnectProxyOptions): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(options);
    const { listen } = options;
    if (listen === null) return proxy;
    if ('socket' in listen) rmSync(listen.socket, { force: true });
    await new Promise<void>((resolve, reject) => {
      proxy.#http.once('error', reject);
      if ('socket' in listen) proxy.#http.listen(listen.socket, resolve);
      else proxy.#http.listen(listen.port, '127.0.0.1', resolve);
    });
    if ('socket' in listen) chmodSync(listen.socket, listen.mode ?? 0o600);
    return proxy;
  }

  private constructor(options: ConnectProxyOptions) {
    this.#options = options;
    this.#bounds = { ...PROXY_BOUNDS, ...options.bounds };
    this.#http = createServer(
      { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 10_000 },
      (request, response) => this.#refusePlain(request, response),
    );
    this.#http.maxConnections = this.#bounds.tunnelsMax * 2;
    this.#http.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.take(request, socket, head),
    );
    this.#http.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => socket.destroy()); // the client has disconnected
      this.#refuse(request, socket, 'not-connect');
    });
  }

  /** A CONNECT request that another server received. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const served = this.#serve(request, socket, head).finally(() => this.#open.delete(served));
    this.#open.add(served);
  }

  get port(): number | undefined {
    const address = this.#http.address();
    return address === null || typeof address === 'string' ? undefined : address.port;
  }

  /** Ends every tunnel. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await Promise.all([closed, ...this.#open]);
    const { listen } = this.#options;
    if (listen !== null && 'socket' in listen) rmSync(listen.socket, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Never rejects, because no caller awaits it. */
  async #serve(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const disconnected = new AbortController();
    socket.on('error', () => socket.destroy()); // the `close` event follows
    socket.once('close', () => disconnected.abort());
    const signal = AbortSignal.any([disconnected.signal, this.#closing.signal]);
    const dialled = await this.#dial(request, signal);
    if (typeof dialled === 'string') return this.#refuse(request, socket, dialled);
    const { far, address } = dialled;
    this.#report(request, { kind: 'tunnel-opened', address });
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) far.write(head);
    const { clock } = this.#options;
    const joined = await joinStreams(socket, far, { clock, ...this.#bounds }, this.#closing.signal);
    const bytesOut = joined.bytesOut + head.length;
    this.#report(request, { kind: 'tunnel-closed', ...joined, bytesOut });
  }

  async #dial(
    request: IncomingMessage,
    signal: AbortSignal,
  ): Promise<ProxyRefusal | { readonly far: Duplex; readonly address: string }> {
    const { network, clock } = this.#options;
    const target = this.#admit(request);
    if (typeof target === 'string') return target;
    const done = new AbortController();
    const timeout = new AbortController();
    void clock.sleep(this.#bounds.dialMs, done.signal).then((slept) => slept && timeout.abort());
    const bounded = AbortSignal.any([signal, timeout.signal]);
    try {
      const addresses = await network.resolve(target.host, bounded).catch(() => []); // the name does not exist
      if (addresses.length === 0) return 'unresolved';
      if (!addresses.every((address) => mayDial(address, target))) return 'special-address';
      for (const address of addresses.slice(0, 3)) {
        const far = await network.dial(address, target.port, bounded).catch(() => undefined);
        if (far !== undefined) return { far, address };
      }
      return 'unreachable';
    } finally {
      done.abort();
    }
  }

  #admit({ url = '', headers }: IncomingMessage): AllowedHost | ProxyRefusal {
    const { token, allow } = this.#options;
    if (this.#open.size >= this.#bounds.tunnelsMax) return 'too-many';
    if (token !== undefined && !hasToken(headers['proxy-authorization'], token)) return 'no-token';
    // A proxy and a host could interpret a body before the tunnel differently, so such a request is refused.
    const hasBody =
      headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    const requested = hasBody ? undefined : parseHostPort(url);
    if (requested === undefined) return 'bad-authority';
    return (
      allow.find(({ host, port }) => host === requested.host && port === requested.port) ??
      'not-allowed'
    );
  }

  #refuse(request: IncomingMessage, socket: Duplex, why: ProxyRefusal): void {
    this.#reportRefusal(request, why);
    const head = `HTTP/1.1 ${STATUS[why]}\r\nx-refused: ${why}\r\nconnection: close`;
    socket.end(`${head}\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
  }

  #refusePlain(request: IncomingMessage, response: ServerResponse): void {
    this.#reportRefusal(request, 'not-connect');
    response.writeHead(405, { 'x-refused': 'not-connect', connection: 'close' }).end();
    request.resume();
  }

  #reportRefusal(request: IncomingMessage, why: ProxyRefusal): void {
    const count = (this.#refused += 1);
    if (isReportable(count)) this.#report(request, { kind: 'tunnel-refused', why, count });
  }

  #report({ url = '' }: IncomingMessage, fact: Untimed): void {
    const { clock, onFact } = this.#options;
    onFact({ ...fact, at: clock.now(), target: url.slice(0, TARGET_CHARS_MAX) });
  }
}

type Untimed = ProxyFact extends infer Fact
  ? Fact extends ProxyFact
    ? Omit<Fact, 'at' | 'target'>
    : never
  : never;

/** `Basic` with the token as the password of any user, or `Bearer`. */
function hasToken(header: string | undefined, token: string): boolean {
  const [scheme = '', word = ''] = (header ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer') return isSame(word, token);
  if (scheme.toLowerCase() !== 'basic') return false;
  const pair = Buffer.from(word, 'base64').toString('utf8');
  return isSame(pair.slice(pair.indexOf(':') + 1), token);
}
