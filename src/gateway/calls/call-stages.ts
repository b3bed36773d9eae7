/** One call of an agent: as it came in, as it is sent, and as it ended. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Upstream } from '../network/upstream.ts';
import type { ModelAnswer } from '../wires/wire.ts';
import type { CallRoute } from './call-route.ts';
import type { RelayedResponse } from './relay-response.ts';

/** A call that was read completely and may be sent. */
export type IncomingCall = {
  readonly method: string;
  readonly route: CallRoute;
  readonly upstream: Upstream;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body, decompressed and parsed. Empty for a call without a body. */
  readonly text: string;
  readonly parsed: Readonly<Record<string, unknown>>;
};

/** One try of sending a call. */
export type SentCall = {
  readonly body: Buffer;
  /** Multiplies the rates of its model. */
  readonly factor: number;
  /** An answer with more tokens is cut. Undefined: no limit. */
  readonly outputTokensMax: number | undefined;
};

export type EndedCall = {
  readonly end: RelayedResponse['end'];
  /** Whether the provider may have received the request, and may charge for it. */
  readonly wasSent: boolean;
  /** Null when the provider never answered. */
  readonly status: number | null;
  readonly answer: ModelAnswer | null;
  readonly costUsd: number | null;
  /** An estimate of the tokens that were relayed. */
  readonly writtenTokens: number;
  /** The agent has not seen this answer, and the call is to be retried. */
  readonly again: boolean;
};
