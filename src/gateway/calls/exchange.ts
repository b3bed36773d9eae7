/** One call's way to the provider and back, and all that is told of it. */
import { isRecord } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Instant } from '../../base/clock.ts';
import { ResponseTee } from './response-tee.ts';
import { CallRetryPolicy } from './retry-policy.ts';
import type { ProviderTrouble } from './retry-policy.ts';
import type { CallContext } from '../call-context.ts';
import { aboutCall } from '../call-context.ts';
import { CHARS_PER_TOKEN, endOfCall, isWork, writtenTokens } from './call-end.ts';
import type { CallAbout } from '../gateway-facts.ts';
import { onwardHeaders, plainHeaders } from './headers.ts';
import { bufferResponse, isEmptyResponse, readWholeBody } from './response-buffer.ts';
import { parseWithin } from './json-caps.ts';
import { relayResponse } from './relay-response.ts';
import type { RelayedResponse } from './relay-response.ts';
import { callCost, findPrice } from '../budget/prices.ts';
import type { BodyStart } from './read-request-body.ts';
import { readBodyStart, bodyText } from './read-request-body.ts';
import { isDecisive, readRefusal } from '../observe/read-limits.ts';
import type { ProviderRefusal } from '../observe/read-limits.ts';
import { isStreamed } from './agent-reply.ts';
import type { AgentReply } from './agent-reply.ts';
import type { CallRoute } from './call-route.ts';
import { classifyStop } from '../observe/stop-kind.ts';
import { conversationPrefix } from '../observe/gateway-turns.ts';
import { paidFactor } from '../budget/surcharge.ts';
import { Unanswered } from '../network/upstream.ts';
import type { UpstreamRequest, Upstream } from '../network/upstream.ts';
import { quotaStatus, readWindows } from '../observe/usage-windows.ts';
import type { ModelAnswer, ModelRequest } from '../wires/wire.ts';

/** A call that has come in whole and may go out. */
export type IncomingCall = {
  readonly method: string;
  readonly route: CallRoute;
  readonly upstream: Upstream;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body, unpacked and parsed; empty for a call without one. */
  readonly text: string;
  readonly parsed: Readonly<Record<string, unknown>>;
};

/** One time that a call goes out. */
export type SentCall = {
  readonly body: Buffer;
  /** What multiplies the rates of its model. */
  readonly factor: number;
  /** With more tokens than these, the answer is cut; undefined: it may be as long as it likes. */
  readonly outputTokensMax: number | undefined;
};

export type EndedCall = {
  readonly end: RelayedResponse['end'];
  /** Whether the provider may have got the request, and may charge for it. */
  readonly left: boolean;
  /** Null when the provider never answered. */
  readonly status: number | null;
  readonly answer: ModelAnswer | null;
  readonly costUsd: number | null;
  /** An estimate of what was passed on. */
  readonly writtenTokens: number;
  /** The agent has not seen it, and the provider is to be asked once more. */
  readonly again: boolean;
};

type Understood = { readonly beginning: BodyStart; readonly trouble: ProviderTrouble | undefined };

const ERROR_BYTES_MAX = 256_000;
const STOP_CHARS_MAX = 100;
/** As long as the providers' own clients wait for such an answer. */
const WHOLE_ANSWER_MS = 600_000;
const NOTHING_YET: BodyStart = { bytes: Buffer.alloc(0), whole: false };

export class Exchange {
  readonly request: ModelRequest;
  readonly number: number;
  readonly #desk: CallContext;
  readonly #incoming: IncomingCall;
  readonly #reply: AgentReply;
  readonly #signal: AbortSignal;
  readonly #begunAt: Instant;
  #about: CallAbout | undefined;
  #isBegun = false;
  readonly #patience: CallRetryPolicy;

  constructor(desk: CallContext, incoming: IncomingCall, reply: AgentReply, signal: AbortSignal) {
    this.#desk = desk;
    this.#incoming = incoming;
    this.#reply = reply;
    this.#signal = signal;
    this.request = incoming.route.wire.readRequest(incoming.parsed, incoming.route.target);
    this.number = desk.nextNumber();
    this.#begunAt = desk.clock.now();
    this.#patience = new CallRetryPolicy(desk.limitPatienceMs, desk.outages);
  }

  /** Found out when first asked for, which is after the call is on its way: hashing takes its time. */
  get about(): CallAbout {
    const { route, headers } = this.#incoming;
    const plain = plainHeaders(headers);
    return (this.#about ??= aboutCall(this.#desk, this.number, route, plain, this.request));
  }

  /** Asks the provider once. `again`: it is to be asked once more, and has been waited for. */
  async run(sent: SentCall): Promise<EndedCall> {
    const { clock, bounds } = this.#desk;
    const bound = new AbortController();
    const over = new AbortController();
    const waitMs = this.#silenceMs(bounds.firstByteMs);
    void clock.sleep(waitMs, over.signal).then((slept) => slept && bound.abort());
    const asked = this.#ask(sent.body, AbortSignal.any([this.#signal, bound.signal]));
    this.#tellBegun();
    const answer = await asked;
    if (answer instanceof Error) {
      over.abort();
      const left = !(answer instanceof Unanswered) || answer.left;
      if (!bound.signal.aborted && (await this.#waits('no-answer', left)))
        return { ...UNSEEN, end: 'unreachable', left, status: null };
      return this.#unanswered(bound.signal.aborted ? 'timed-out' : 'unreachable', answer, left);
    }
    const status = answer.statusCode ?? 0;
    const { beginning, trouble } = await this.#understand(answer, sent);
    over.abort();
    if (trouble !== undefined && (await this.#waits(trouble, status < 400))) {
      if (!beginning.whole) answer.destroy();
      return { ...UNSEEN, end: 'cut', left: true, status };
    }
    if (this.#signal.aborted) return this.#end({ end: 'left', bytes: 0 }, status, null, sent);
    if (typeof trouble === 'object' && status >= 400) this.#tellRefusal(trouble);
    if (status >= 400 && this.#reply.isEarly) return this.#returnError(answer, beginning, sent);
    return this.#return(answer, beginning, bound, sent);
  }

  /** A call that is not streamed is silent until the whole answer is there, however long the model thinks. */
  #silenceMs(ofStreams: number): number {
    return isStreamed(this.#incoming) ? ofStreams : Math.max(ofStreams, WHOLE_ANSWER_MS);
  }

  /** The answer once its headers are here; an error is an answer too. */
  #ask(body: Buffer, signal: AbortSignal): Promise<IncomingMessage | Error> {
    const { method, route, upstream, headers } = this.#incoming;
    const onward = onwardHeaders(headers, route.wire.name, upstream.credential, body.length);
    const ask: UpstreamRequest = { method, target: route.target, headers: onward, body };
    return this.#desk.outside
      .ask(upstream, ask, signal)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  }

  /** Waits where waiting is ours. False: the agent is to see what there is, or has left. */
  async #waits(trouble: ProviderTrouble, mayHaveCost: boolean): Promise<boolean> {
    if (this.#signal.aborted) return false;
    // A whole history is dear to read: what may have been paid for is not asked for again.
    if (mayHaveCost && this.#incoming.route.does === 'compact') return false;
    const waitMs = this.#patience.waitMs(trouble, this.#desk.clock.now());
    if (waitMs === undefined) return false;
    const refusal = trouble === 'no-answer' ? null : trouble;
    this.#desk.tell({ kind: 'call-held', call: this.about, refusal, waitMs });
    return this.#desk.clock.sleep(waitMs, this.#signal);
  }

  #tellBegun(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const requestBytes = this.#incoming.body.length;
    this.#desk.workModel.see(this.about, this.request.tools.length > 0);
    this.#desk.tell({ kind: 'call-begun', call: this.about, requestBytes });
  }

  /** The windows that the headers tell of, and what is wrong with it, as far as that can be seen in time. */
  async #understand(answer: IncomingMessage, sent: SentCall): Promise<Understood> {
    const { wire, does } = this.#incoming.route;
    const { clock, limitPatienceMs, windowsSeen, outages, tell } = this.#desk;
    const [now, headers, status] = [
      clock.now(),
      plainHeaders(answer.headers),
      answer.statusCode ?? 0,
    ];
    const windows = readWindows(headers, now);
    const quota = quotaStatus(windows, limitPatienceMs, now);
    if (windowsSeen.isNews(wire.name, windows, quota))
      tell({ kind: 'usage-windows', wire: wire.name, windows, status: quota });
    if (status < 400 && does === 'generate' && outages.holdsBack) return this.#first(answer, sent);
    if (status < 400) return { beginning: NOTHING_YET, trouble: undefined };
    const beginning = await readBodyStart(answer, ERROR_BYTES_MAX);
    const text = await bodyText(beginning.bytes, headers['content-encoding'], ERROR_BYTES_MAX);
    const reader = wire.answerReader();
    reader.take(parseWithin(text ?? ''));
    const trouble = readRefusal(status, headers, reader.answer().error, now);
    return { beginning, trouble };
  }

  /** Until the agent has had an answer, the beginning of each is held back for a moment. */
  async #first(answer: IncomingMessage, sent: SentCall): Promise<Understood> {
    // What is held back is not looked at yet, so it is no more than was paid for.
    const bytesMax = (sent.outputTokensMax ?? Infinity) * CHARS_PER_TOKEN;
    const beginning = await bufferResponse(answer, this.#desk.clock, bytesMax);
    if (beginning.broke) return { beginning, trouble: 'no-answer' };
    if (!beginning.whole) return { beginning, trouble: undefined };
    const heard = await readWholeBody(this.#incoming.route.wire, answer, beginning.bytes);
    if (isEmptyResponse(heard)) return { beginning, trouble: 'no-answer' };
    const { error } = heard;
    const now = this.#desk.clock.now();
    const trouble = error === null ? undefined : readRefusal(200, {}, error, now);
    return { beginning, trouble };
  }

  #tellRefusal(refusal: ProviderRefusal): void {
    const { workModel, tell } = this.#desk;
    const { about } = this;
    const ofIdentity = workModel.concernsIdentity(about, refusal, this.#incoming.parsed);
    const isWork = workModel.isDecidedBy(about);
    const isFinal = ofIdentity && isDecisive(refusal);
    const decisive = isWork && (isFinal || this.#patience.isAtItsEnd);
    tell({ kind: 'provider-refused', call: about, refusal, ofIdentity, decisive });
  }

  async #return(
    answer: IncomingMessage,
    beginning: BodyStart,
    bound: AbortController,
    sent: SentCall,
  ): Promise<EndedCall> {
    const tee = new ResponseTee(this.#incoming.route.wire, answer.headers);
    const { clock, bounds } = this.#desk;
    const isOver = (): boolean => writtenTokens(tee) > (sent.outputTokensMax ?? Infinity);
    const silenceMs = this.#silenceMs(bounds.silenceMs);
    const terms = { clock, bounds: { ...bounds, silenceMs }, bound, isOver };
    const passed = await relayResponse(answer, beginning, this.#reply, tee, terms);
    const heard = await tee.end();
    const status = answer.statusCode ?? 0;
    if (status < 400 && heard.error !== null)
      this.#tellRefusal(readRefusal(status, {}, heard.error, clock.now()));
    return this.#end(passed, status, heard, sent, writtenTokens(tee));
  }

  /** Its status can't be told any more: the agent is told in the answer that was begun early. */
  async #returnError(
    answer: IncomingMessage,
    beginning: BodyStart,
    sent: SentCall,
  ): Promise<EndedCall> {
    const { wire } = this.#incoming.route;
    const { bytes, whole } = beginning;
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

  /** Neither we nor the agent are to ask again: we have, or the provider has had its time. */
  #isHopeless(end: RelayedResponse['end']): boolean {
    return end === 'timed-out' || (this.#patience.isAtItsEnd && end !== 'left');
  }

  #unanswered(end: 'timed-out' | 'unreachable', error: Error, left: boolean): EndedCall {
    if (this.#signal.aborted) return { ...this.#end({ end: 'left', bytes: 0 }, null, null), left };
    const status = end === 'timed-out' ? 504 : 502;
    const code = 'code' in error ? ` (${String(error.code)})` : '';
    const seconds = this.#silenceMs(this.#desk.bounds.firstByteMs) / 1000;
    const message =
      end === 'timed-out'
        ? `The provider did not begin its answer within ${seconds} s.`
        : `The provider could not be reached${code}.`;
    const body = this.#incoming.route.wire.refusal(status, end, message);
    this.#reply.refuse(status, body);
    return { ...this.#end({ end, bytes: 0 }, null, null), left };
  }

  #end(
    passed: RelayedResponse,
    status: number | null,
    answer: ModelAnswer | null,
    sent?: SentCall,
    written = 0,
  ): EndedCall {
    const { clock, prices, sizes, outages, unfinished, workModel, tell, record } = this.#desk;
    const { bytes, firstByteAt } = passed;
    const { about, request } = this;
    const isAnswer = answer !== null && answer.error === null && (status ?? 0) < 400;
    const stop = isAnswer && this.#incoming.route.does === 'generate' ? classifyStop(answer) : null;
    const end = endOfCall(passed, about, isAnswer ? answer : null);
    if (stop !== null && end !== 'left') unfinished.take(about, stop);
    const usage = answer?.usage ?? null;
    const price = findPrice(about.model, prices);
    const asked = sent?.factor ?? 1;
    const factor = paidFactor(about.wire, asked, usage?.tier, price);
    const costUsd = usage === null ? null : callCost(usage, price, factor);
    if (usage !== null) sizes.learn(about.model, usage.outputTokens);
    tell({
      kind: 'call-ended',
      call: about,
      end,
      status,
      stop,
      stopWord: stop === null ? null : (answer?.stop?.slice(0, STOP_CHARS_MAX) ?? null),
      usage,
      costUsd,
      ms: clock.now() - this.#begunAt,
      firstByteMs: firstByteAt === undefined ? null : firstByteAt - this.#begunAt,
      requestBytes: this.#incoming.body.length,
      responseBytes: bytes,
      decisive: unfinished.areTooMany || (this.#isHopeless(end) && workModel.isDecidedBy(about)),
    });
    if (isWork(about) && answer !== null && answer.stop !== null && answer.error === null) {
      outages.answered();
      const { parsed, route } = this.#incoming;
      const prefix = conversationPrefix(parsed[route.wire.conversationKey]);
      const turn = this.#desk.turns.take(about, prefix, request, answer, price?.contextMax ?? null);
      tell({ kind: 'turn', turn });
    }
    const { text, route } = this.#incoming;
    record?.({
      at: this.#begunAt,
      call: about,
      path: route.target,
      request: text,
      status,
      end,
      answer,
    });
    return { end, left: true, status, answer, costUsd, writtenTokens: written, again: false };
  }
}

const UNSEEN = { answer: null, costUsd: null, writtenTokens: 0, again: true } as const;
