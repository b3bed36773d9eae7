import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { HttpAgent, requestHttp } from '../../host/net/http.ts';
import { guardedLookup } from './guarded-lookup.ts';
import type { Credential } from '../calls/headers.ts';
import { networkReach } from './private-addresses.ts';

/** The destination of the calls of one wire, and the credential that pays for them. */
export type Upstream = {
  /** For example `https://api.anthropic.com`. A path in it is put before every target. */
  readonly base: string;
  readonly credential: Credential;
  /** Further headers that belong to the credential, such as an account id. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A prefix of targets that this provider does not use, such as `/v1`. It is removed. */
  readonly without?: string;
};

export type UpstreamRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
};

const SOCKETS_MAX = 64;

/** Connections to providers, reused between calls. */
export class OutsideNetwork implements Disposable {
  readonly #privateHosts: readonly string[];
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX });

  constructor(privateHosts: readonly string[] = []) {
    this.#privateHosts = privateHosts;
  }

  /** Resolves with the answer once its headers have arrived. Rejects with `Unanswered` if none will come. */
  async ask(
    upstream: Upstream,
    request: UpstreamRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    try {
      return await this.#once(upstream, request, signal);
    } catch (error) {
      // The other side had just closed the reused connection, so the request never arrived.
      if (error instanceof StaleConnection) return this.#once(upstream, request, signal);
      throw error;
    }
  }

  #once(
    upstream: Upstream,
    outgoing: UpstreamRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const base = new URL(upstream.base);
    const isPlain = base.protocol === 'http:';
    return new Promise((resolve, reject) => {
      let wasSent = false;
      const request = (isPlain ? requestHttp : httpsRequest)({
        protocol: base.protocol,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port,
        path: base.pathname.replace(/\/$/, '') + targetPath(upstream, outgoing.target),
        method: outgoing.method,
        headers: { ...outgoing.headers, ...upstream.headers, host: base.host },
        agent: isPlain ? this.#http : this.#https,
        signal,
        // A literal IP address skips the lookup: its author chose it. A name is checked when it is resolved.
        lookup: guardedLookup(networkReach(base.hostname, this.#privateHosts)),
      });
      request.once('response', resolve);
      request.once('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => (wasSent = true));
        else wasSent = true;
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted;
        reject(isStale ? new StaleConnection({ cause: error }) : new Unanswered(error, wasSent));
      });
      request.end(outgoing.body);
    });
  }

  [Symbol.dispose](): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** No answer will come. */
export class Unanswered extends Error {
  readonly code: string | undefined;
  /**
   * Whether a connection was established. If so, the provider may have received the request, and may charge for it.
   */
  readonly wasSent: boolean;

  constructor(cause: NodeJS.ErrnoException, wasSent: boolean) {
    super(cause.message, { cause });
    this.code = cause.code;
    this.wasSent = wasSent;
  }
}

function targetPath({ without = '' }: Upstream, target: string): string {
  return target.startsWith(`${without}/`) ? target.slice(without.length) : target;
}

class StaleConnection extends Error {
  constructor(options: ErrorOptions) {
    super('a reused connection was closed', options);
  }
}
