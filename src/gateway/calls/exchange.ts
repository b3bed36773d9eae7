/** One call to the provider and back, and the facts that are reported about it. */
import { isRecord } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import type { IncomingMessage } from 'node:http';
import type { Instant } from '../../base/clock.ts';
import { ResponseTee } from './response-tee.ts';
import { CallRetryPolicy } from './retry-policy.ts';
import type { ProviderTrouble } from './retry-policy.ts';
import type { CallContext } from '../call-context.ts';
import { aboutCall } from '../call-context.ts';
import { CHARS_PER_TOKEN, writtenTokens } from './call-end.ts';
import type { EndedCall, IncomingCall, SentCall } from './call-stages.ts';
import { reportCallEnd } from './report-call-end.ts';
import type { CallAbout } from '../gateway-facts.ts';
import { onwardHeaders, plainHeaders } from './headers.ts';
import { bufferResponse, isEmptyResponse, readWholeBody } from './response-buffer.ts';
import { parseWithin } from './json-caps.ts';
import { relayResponse } from './relay-response.ts';
import type { RelayedResponse } from './relay-response.ts';
import type { BodyStart } from './read-request-body.ts';
import { readBodyStart, bodyText } from './read-request-body.ts';
import { isDecisive, readRefusal } from '../observe/read-limits.ts';
import type { ProviderRefusal } from '../observe/read-limits.ts';
import { isStreamed } from './agent-reply.ts';
import type { AgentReply } from './agent-reply.ts';
import { Unanswered } from '../network/upstream.ts';
import type { UpstreamRequest } from '../network/upstream.ts';
import { quotaStatus, readWindows } from '../observe/usage-windows.ts';
import type { ModelAnswer, ModelRequest } from '../wires/wire.ts';

type Inspected = { readonly bodyStart: BodyStart; readonly trouble: ProviderTrouble | undefined };

const ERROR_BYTES_MAX = 256_000;
/** As long as the providers' own clients wait for an answer that is not streamed. */
const WHOLE_ANSWER_MS = 600_000;
const NOTHING_YET: BodyStart = { bytes: Buffer.alloc(0), whole: false };

export class Exchange {
  readonly request: ModelRequest;
  readonly number: number;
  readonly #context: CallContext;
  readonly #incoming: IncomingCall;
  readonly #reply: AgentReply;
  readonly #signal: AbortSignal;
  readonly #begunAt: Instant;
  #about: CallAbout | undefined;
  #isBegun = false;
  readonly #retryPolicy: CallRetryPolicy;

  constructor(
    context: CallContext,
    incoming: IncomingCall,
    reply: AgentReply,
    signal: AbortSignal,
  ) {
    this.#context = context;
    this.#incoming = incoming;
    this.#reply = reply;
    this.#signal = signal;
    this.request = incoming.route.wire.readRequest(incoming.parsed, incoming.route.target);
    this.number = context.nextNumber();
    this.#begunAt = context.clock.now();
    this.#retryPolicy = new CallRetryPolicy(context.limitPatienceMs, context.outages);
  }

  /** Computed on first use, which is after the call was sent: hashing the conversation takes time. */
  get about(): CallAbout {
    const { route, headers } = this.#incoming;
    const plain = plainHeaders(headers);
    return (this.#about ??= aboutCall(this.#context, this.number, route, plain, this.request));
  }

  /** Sends the call once. With `again`, the wait has passed and the caller is to send it again. */
  async run(sent: SentCall): Promise<EndedCall> {
    const { clock, bounds } = this.#context;
    const timeout = new AbortController();
    const answered = new AbortController();
    const waitMs = this.#silenceMs(bounds.firstByteMs);
    void clock.sleep(waitMs, answered.signal).then((slept) => slept && timeout.abort());
    const pending = this.#ask(sent.body, AbortSignal.any([this.#signal, timeout.signal]));
    this.#reportBegun();
    const answer = await pending;
    if (answer instanceof Error) {
      answered.abort();
      const wasSent = !(answer instanceof Unanswered) || answer.wasSent;
      if (!timeout.signal.aborted && (await this.#waitToRetry('no-answer', wasSent)))
        return { ...RETRY, end: 'unreachable', wasSent, status: null };
      const end = timeout.signal.aborted ? 'timed-out' : 'unreachable';
      return this.#unanswered(end, answer, wasSent);
    }
    const status = answer.statusCode ?? 0;
    const { bodyStart, trouble } = await this.#inspect(answer, sent);
    answered.abort();
    if (trouble !== undefined && (await this.#waitToRetry(trouble, status < 400))) {
      if (!bodyStart.whole) answer.destroy();
      return { ...RETRY, end: 'incomplete', wasSent: true, status };
    }
    if (this.#signal.aborted)
      return this.#end({ end: 'disconnected', bytes: 0 }, status, null, sent);
    if (typeof trouble === 'object' && status >= 400) this.#reportRefusal(trouble);
    if (status >= 400 && this.#reply.isEarly) return this.#returnError(answer, bodyStart, sent);
    return this.#return(answer, bodyStart, timeout, sent);
  }

  /** A call that is not streamed is silent until the whole answer is there, however long the model thinks. */
  #silenceMs(ofStreams: number): number {
    return isStreamed(this.#incoming) ? ofStreams : Math.max(ofStreams, WHOLE_ANSWER_MS);
  }

  /** The answer once its headers have arrived. An error is an answer too. */
  #ask(body: Buffer, signal: AbortSignal): Promise<IncomingMessage | Error> {
    const { method, route, upstream, headers } = this.#incoming;
    const onward = onwardHeaders(headers, route.wire.name, upstream.credential, body.length);
    const ask: UpstreamRequest = { method, target: route.target, headers: onward, body };
    return this.#context.outside
      .ask(upstream, ask, signal)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  }

  /**
   * Waits if the gateway retries this trouble itself. False: the agent is to see the answer as it is, or has
   * disconnected.
   */
  async #waitToRetry(trouble: ProviderTrouble, mayHaveCost: boolean): Promise<boolean> {
    if (this.#signal.aborted) return false;
    // Compaction reads a whole history, which is expensive. A try that may have been charged is not repeated.
    if (mayHaveCost && this.#incoming.route.operation === 'compact') return false;
    const waitMs = this.#retryPolicy.waitMs(trouble, this.#context.clock.now());
    if (waitMs === undefined) return false;
    const refusal = trouble === 'no-answer' ? null : trouble;
    this.#context.report({ kind: 'call-held', call: this.about, refusal, waitMs });
    return this.#context.clock.sleep(waitMs, this.#signal);
  }

  #reportBegun(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const requestBytes = this.#incoming.body.length;
    this.#context.workModel.see(this.about, { offersTools: this.request.tools.length > 0 });
    this.#context.report({ kind: 'call-begun', call: this.about, requestBytes });
  }

  /**
   * Reports the usage windows of the headers, and finds what is wrong with the answer, as far as its beginning shows
   * it.
   */
  async #inspect(answer: IncomingMessage, sent: SentCall): Promise<Inspected> {
    const { wire, operation } = this.#incoming.route;
    const { clock, limitPatienceMs, windowsSeen, outages, report } = this.#context;
    const [now, status] = [clock.now(), answer.statusCode ?? 0];
    const headers = plainHeaders(answer.headers);
    const windows = readWindows(headers, now);
    const quota = quotaStatus(windows, limitPatienceMs, now);
    if (windowsSeen.hasChanged(wire.name, windows, quota))
      report({ kind: 'usage-windows', wire: wire.name, windows, status: quota });
    if (status < 400 && operation === 'generate' && outages.holdsBack)
      return this.#inspectFirst(answer, sent);
    if (status < 400) return { bodyStart: NOTHING_YET, trouble: undefined };
    const bodyStart = await readBodyStart(answer, ERROR_BYTES_MAX);
    const text = await bodyText(bodyStart.bytes, headers['content-encoding'], ERROR_BYTES_MAX);
    const reader = wire.answerReader();
    reader.take(parseWithin(text ?? ''));
    const trouble = readRefusal(status, headers, reader.answer().error, now);
    return { bodyStart, trouble };
  }

  /**
   * Until the agent has received its first answer, the beginning of each answer is held back briefly, so that the
   * call can be retried.
   */
  async #inspectFirst(answer: IncomingMessage, sent: SentCall): Promise<Inspected> {
    // The output limit is not checked while bytes are held back, so at most the reserved amount is buffered.
    const bytesMax = (sent.outputTokensMax ?? Infinity) * CHARS_PER_TOKEN;
    const bodyStart = await bufferResponse(answer, this.#context.clock, bytesMax);
    if (bodyStart.broke) return { bodyStart, trouble: 'no-answer' };
    if (!bodyStart.whole) return { bodyStart, trouble: undefined };
    const parsed = await readWholeBody(this.#incoming.route.wire, answer, bodyStart.bytes);
    if (isEmptyResponse(parsed)) return { bodyStart, trouble: 'no-answer' };
    const { error } = parsed;
    const now = this.#context.clock.now();
    const trouble = error === null ? undefined : readRefusal(200, {}, error, now);
    return { bodyStart, trouble };
  }

  #reportRefusal(refusal: ProviderRefusal): void {
    const { workModel, report } = this.#context;
    const { about } = this;
    const ofIdentity = workModel.concernsIdentity(about, refusal, this.#incoming.parsed);
    const isDecidedHere = workModel.isDecidedBy(about);
    const isFinal = ofIdentity && isDecisive(refusal);
    const decisive = isDecidedHere && (isFinal || this.#retryPolicy.isExhausted);
    report({ kind: 'provider-refused', call: about, refusal, ofIdentity, decisive });
  }

  async #return(
    answer: IncomingMessage,
    bodyStart: BodyStart,
    timeout: AbortController,
    sent: SentCall,
  ): Promise<EndedCall> {
    const tee = new ResponseTee(this.#incoming.route.wire, answer.headers);
    const { clock, bounds } = this.#context;
    const isOver = (): boolean => writtenTokens(tee) > (sent.outputTokensMax ?? Infinity);
    const silenceMs = this.#silenceMs(bounds.silenceMs);
    const terms = { clock, bounds: { ...bounds, silenceMs }, upstreamAbort: timeout, isOver };
    const relayed = await relayResponse(answer, bodyStart, this.#reply, tee, terms);
    const parsed = await tee.end();
    const status = answer.statusCode ?? 0;
    if (status < 400 && parsed.error !== null)
      this.#reportRefusal(readRefusal(status, {}, parsed.error, clock.now()));
    return this.#end(relayed, status, parsed, sent, writtenTokens(tee));
  }

  /** The status was already sent as 200, so the error is reported in the body that was begun early. */
  async #returnError(
    answer: IncomingMessage,
    bodyStart: BodyStart,
    sent: SentCall,
  ): Promise<EndedCall> {
    const { wire } = this.#incoming.route;
    const { bytes, whole } = bodyStart;
    const status = answer.statusCode ?? 0;
    const text = await bodyText(bytes, answer.headers['content-encoding'], ERROR_BYTES_MAX);
    const parsed = parseWithin(text ?? '');
    const body = isRecord(parsed)
      ? (parsed as Json)
      : wire.refusal(status, 'provider_error', `The provider answered with status ${status}.`);
    this.#reply.refuse(status, body);
    if (!whole) answer.destroy();
    const reader = wire.answerReader();
    reader.take(parsed);
    return this.#end({ end: 'answered', bytes: bytes.length }, status, reader.answer(), sent);
  }

  /** Neither the gateway nor the agent should retry: the gateway already has, or the provider has timed out. */
  #isFinalFailure(end: RelayedResponse['end']): boolean {
    return end === 'timed-out' || (this.#retryPolicy.isExhausted && end !== 'disconnected');
  }

  #unanswered(end: 'timed-out' | 'unreachable', error: Error, wasSent: boolean): EndedCall {
    if (this.#signal.aborted)
      return { ...this.#end({ end: 'disconnected', bytes: 0 }, null, null), wasSent };
    const status = end === 'timed-out' ? 504 : 502;
    const code = 'code' in error ? ` (${String(error.code)})` : '';
    const seconds = this.#silenceMs(this.#context.bounds.firstByteMs) / 1000;
    const message =
      end === 'timed-out'
        ? `The provider did not begin its answer within ${seconds} s.`
        : `The provider could not be reached${code}.`;
    const body = this.#incoming.route.wire.refusal(status, end, message);
    this.#reply.refuse(status, body);
    return { ...this.#end({ end, bytes: 0 }, null, null), wasSent };
  }

  #end(
    relayed: RelayedResponse,
    status: number | null,
    answer: ModelAnswer | null,
    sent?: SentCall,
    written = 0,
  ): EndedCall {
    const call = {
      incoming: this.#incoming,
      request: this.request,
      about: this.about,
      begunAt: this.#begunAt,
      isFinalFailure: (end: RelayedResponse['end']) => this.#isFinalFailure(end),
    };
    const answered = { status, answer, sent, writtenTokens: written };
    return reportCallEnd(this.#context, call, relayed, answered);
  }
}

const RETRY = { answer: null, costUsd: null, writtenTokens: 0, again: true } as const;
