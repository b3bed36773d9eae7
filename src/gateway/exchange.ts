/** One call's way to the provider and back, and all that is told of it. */
import { parseJson } from '../base/json.ts';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Instant } from '../base/clock.ts';
import { AnswerTee } from './answer-tee.ts';
import type { Desk } from './desk.ts';
import { aboutCall } from './desk.ts';
import type { CallAbout } from './facts.ts';
import { onwardHeaders, plainHeaders } from './headers.ts';
import { passOn } from './pass-on.ts';
import type { Passed } from './pass-on.ts';
import { costOf, priceOf } from './prices.ts';
import type { Beginning } from './read-body.ts';
import { readBeginning, textOf } from './read-body.ts';
import { isDecisive, readRefusal, shortWaitMs } from './read-limits.ts';
import type { ProviderRefusal } from './read-limits.ts';
import type { Route } from './route.ts';
import { prefixOf } from './turns.ts';
import type { Ask, Upstream } from './upstream.ts';
import { quotaStatus, readWindows } from './usage-windows.ts';
import type { ModelAnswer, ModelRequest } from './wire.ts';

/** A call that has come in whole and may go out. */
export type Incoming = {
  readonly method: string;
  readonly route: Route;
  readonly upstream: Upstream;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body, unpacked and parsed; empty for a call without one. */
  readonly text: string;
  readonly parsed: Readonly<Record<string, unknown>>;
};

export type Ended = {
  readonly end: Passed['end'];
  /** Null when the provider never answered. */
  readonly status: number | null;
  readonly answer: ModelAnswer | null;
  readonly costUsd: number | null;
};

const ERROR_BYTES_MAX = 256_000;
/** However short a wait a provider names, it is not asked again sooner. */
const WAIT_MS_MIN = 1000;
const NOTHING_YET: Beginning = { bytes: Buffer.alloc(0), whole: false };

export class Exchange {
  readonly request: ModelRequest;
  readonly number: number;
  readonly #desk: Desk;
  readonly #incoming: Incoming;
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  readonly #begunAt: Instant;
  #about: CallAbout | undefined;

  constructor(desk: Desk, incoming: Incoming, response: ServerResponse, signal: AbortSignal) {
    this.#desk = desk;
    this.#incoming = incoming;
    this.#response = response;
    this.#signal = signal;
    this.request = incoming.route.wire.readRequest(incoming.parsed, incoming.route.target);
    this.number = desk.nextNumber();
    this.#begunAt = desk.clock.now();
  }

  /** Found out when first asked for, which is after the call is on its way: hashing takes its time. */
  get about(): CallAbout {
    const { route, headers } = this.#incoming;
    const plain = plainHeaders(headers);
    return (this.#about ??= aboutCall(this.#desk, this.number, route, plain, this.request));
  }

  /** Asks the provider until it answers in a way that the agent should see. */
  async run(): Promise<Ended> {
    const { clock, limitPatienceMs } = this.#desk;
    let patienceMs = limitPatienceMs;
    for (let isFirst = true; ; isFirst = false) {
      const bound = new AbortController();
      const over = new AbortController();
      void clock
        .sleep(this.#desk.bounds.firstByteMs, over.signal)
        .then((slept) => slept && bound.abort());
      const asked = this.#ask(AbortSignal.any([this.#signal, bound.signal]));
      if (isFirst) this.#tellBegun();
      const answer = await asked;
      if (answer instanceof Error) {
        over.abort();
        return this.#unanswered(bound.signal.aborted ? 'timed-out' : 'unreachable', answer);
      }
      const [beginning, refusal] = await this.#understand(answer);
      over.abort();
      const waitMs =
        refusal !== undefined && beginning.whole ? this.#wait(refusal, patienceMs) : undefined;
      if (refusal === undefined || waitMs === undefined) {
        if (refusal !== undefined) this.#tellRefusal(refusal);
        return this.#return(answer, beginning, bound);
      }
      patienceMs -= waitMs;
      this.#desk.tell({ kind: 'call-held', call: this.about, refusal, waitMs });
      if (!(await clock.sleep(waitMs, this.#signal)))
        return this.#end({ end: 'left', bytes: 0 }, answer.statusCode ?? null, null);
    }
  }

  /** The answer once its headers are here; an error is an answer too. */
  #ask(signal: AbortSignal): Promise<IncomingMessage | Error> {
    const { method, route, upstream, headers, body } = this.#incoming;
    const onward = onwardHeaders(headers, route.wire.name, upstream.credential, body.length);
    const ask: Ask = { method, target: route.target, headers: onward, body };
    return this.#desk.outside
      .ask(upstream, ask, signal)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  }

  #wait(refusal: ProviderRefusal, patienceMs: number): number | undefined {
    const waitMs = shortWaitMs(refusal, patienceMs, this.#desk.clock.now());
    if (waitMs === undefined) return undefined;
    const heldMs = Math.max(waitMs, WAIT_MS_MIN);
    return heldMs <= patienceMs ? heldMs : undefined;
  }

  #tellBegun(): void {
    const requestBytes = this.#incoming.body.length;
    this.#desk.workModel.see(this.about);
    this.#desk.tell({ kind: 'call-begun', call: this.about, requestBytes });
  }

  /** The windows that the headers tell of, and for an error its beginning and its meaning. */
  async #understand(answer: IncomingMessage): Promise<[Beginning, ProviderRefusal | undefined]> {
    const { wire } = this.#incoming.route;
    const { clock, limitPatienceMs, windowsSeen, tell } = this.#desk;
    const [now, headers, status] = [
      clock.now(),
      plainHeaders(answer.headers),
      answer.statusCode ?? 0,
    ];
    const windows = readWindows(headers, now);
    const quota = quotaStatus(windows, limitPatienceMs, now);
    if (windowsSeen.isNews(wire.name, windows, quota))
      tell({ kind: 'usage-windows', wire: wire.name, windows, status: quota });
    if (status < 400) return [NOTHING_YET, undefined];
    const beginning = await readBeginning(answer, ERROR_BYTES_MAX);
    const text = await textOf(beginning.bytes, headers['content-encoding'], ERROR_BYTES_MAX);
    const reader = wire.answerReader();
    reader.take(parseJson(text ?? ''));
    return [beginning, readRefusal(status, headers, reader.answer().error, now)];
  }

  #tellRefusal(refusal: ProviderRefusal): void {
    const decisive = this.#desk.workModel.isDecidedBy(this.about) && isDecisive(refusal);
    this.#desk.tell({ kind: 'provider-refused', call: this.about, refusal, decisive });
  }

  async #return(
    answer: IncomingMessage,
    beginning: Beginning,
    bound: AbortController,
  ): Promise<Ended> {
    const tee = new AnswerTee(this.#incoming.route.wire, answer.headers);
    const { clock, bounds } = this.#desk;
    const passed = await passOn(answer, beginning, this.#response, tee, { clock, bounds, bound });
    const heard = await tee.end();
    const status = answer.statusCode ?? 0;
    if (status < 400 && heard.error !== null)
      this.#tellRefusal(readRefusal(status, {}, heard.error, clock.now()));
    return this.#end(passed, status, heard);
  }

  #unanswered(end: 'timed-out' | 'unreachable', error: Error): Ended {
    if (this.#signal.aborted) return this.#end({ end: 'left', bytes: 0 }, null, null);
    const status = end === 'timed-out' ? 504 : 502;
    const code = 'code' in error ? ` (${String(error.code)})` : '';
    const message = `The provider could not be reached${code}.`;
    const body = this.#incoming.route.wire.refusal(status, end, message);
    this.#response.writeHead(status, { 'content-type': 'application/json' });
    this.#response.end(JSON.stringify(body));
    return this.#end({ end, bytes: 0 }, null, null);
  }

  #end(passed: Passed, status: number | null, answer: ModelAnswer | null): Ended {
    const { clock, prices, sizes, tell, record } = this.#desk;
    const { end, bytes, firstByteAt } = passed;
    const { about, request } = this;
    const usage = answer?.usage ?? null;
    const price = priceOf(about.model, prices);
    const costUsd = usage === null ? null : costOf(usage, price);
    if (usage !== null) sizes.learn(about.model, usage.outputTokens);
    tell({
      kind: 'call-ended',
      call: about,
      end,
      status,
      usage,
      costUsd,
      ms: clock.now() - this.#begunAt,
      firstByteMs: firstByteAt === undefined ? null : firstByteAt - this.#begunAt,
      requestBytes: this.#incoming.body.length,
      responseBytes: bytes,
    });
    if (isWork(about) && answer !== null && answer.stop !== null && answer.error === null) {
      const { parsed, route } = this.#incoming;
      const prefix = prefixOf(parsed[route.wire.conversationKey]);
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
    return { end, status, answer, costUsd };
  }
}

function isWork(about: CallAbout): about is CallAbout & { readonly kind: 'main' | 'sub' } {
  return about.kind === 'main' || about.kind === 'sub';
}
