import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { guardedLookup } from './guarded-lookup.ts';
import type { Credential } from '../calls/headers.ts';
import { networkReach } from './private-addresses.ts';

/** Where the calls of one wire go, and who pays for them. */
export type Upstream = {
  /** Such as `https://api.anthropic.com`; a path in it goes before every target. */
  readonly base: string;
  readonly credential: Credential;
  /** Further headers that belong to the credential, such as the id of an account. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How targets begin that this provider has without that beginning. */
  readonly without?: string;
};

export type UpstreamRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
};

const SOCKETS_MAX = 64;

/** Connections to providers, kept open between calls. */
export class OutsideNetwork implements Disposable {
  readonly #privateHosts: readonly string[];
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX });

  constructor(privateHosts: readonly string[] = []) {
    this.#privateHosts = privateHosts;
  }

  /** Resolves with the answer once its headers are here. Rejects with `Unanswered` when there is none to come. */
  async ask(
    upstream: Upstream,
    ask: UpstreamRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    try {
      return await this.#once(upstream, ask, signal);
    } catch (error) {
      // A kept connection that the other side had just closed: the request never arrived.
      if (error instanceof StaleConnection) return this.#once(upstream, ask, signal);
      throw error;
    }
  }

  #once(upstream: Upstream, ask: UpstreamRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const base = new URL(upstream.base);
    const isPlain = base.protocol === 'http:';
    return new Promise((resolve, reject) => {
      let left = false;
      const request = (isPlain ? httpRequest : httpsRequest)({
        protocol: base.protocol,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port,
        path: base.pathname.replace(/\/$/, '') + targetAt(upstream, ask.target),
        method: ask.method,
        headers: { ...ask.headers, ...upstream.headers, host: base.host },
        agent: isPlain ? this.#http : this.#https,
        signal,
        // An address that is written out is named by whoever wrote it; a name leads where it is checked.
        lookup: guardedLookup(networkReach(base.hostname, this.#privateHosts)),
      });
      request.once('response', resolve);
      request.once('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => (left = true));
        else left = true;
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted;
        reject(isStale ? new StaleConnection({ cause: error }) : new Unanswered(error, left));
      });
      request.end(ask.body);
    });
  }

  [Symbol.dispose](): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** There is no answer to come. */
export class Unanswered extends Error {
  readonly code: string | undefined;
  /** Whether a connection stood: then the provider may have got the request, and may charge for it. */
  readonly left: boolean;

  constructor(cause: NodeJS.ErrnoException, left: boolean) {
    super(cause.message, { cause });
    this.code = cause.code;
    this.left = left;
  }
}

function targetAt({ without = '' }: Upstream, target: string): string {
  return target.startsWith(`${without}/`) ? target.slice(without.length) : target;
}

class StaleConnection extends Error {
  constructor(options: ErrorOptions) {
    super('a kept connection was closed', options);
  }
}
