/** One call's way to the provider and back, and all that is told of it. */
import { parseJson } from '../base/json.ts';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Instant } from '../base/clock.ts';
import { AnswerTee } from './answer-tee.ts';
import { CallPatience } from './call-patience.ts';
import type { Trouble } from './call-patience.ts';
import type { Desk } from './desk.ts';
import { aboutCall } from './desk.ts';
import type { CallAbout } from './facts.ts';
import { onwardHeaders, plainHeaders } from './headers.ts';
import { holdBack, isNothing, readWhole } from './hold-back.ts';
import { passOn } from './pass-on.ts';
import type { Passed } from './pass-on.ts';
import { costOf, priceOf } from './prices.ts';
import type { Beginning } from './read-body.ts';
import { readBeginning, textOf } from './read-body.ts';
import { isDecisive, readRefusal } from './read-limits.ts';
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
  /** Nobody has seen it, and the provider is to be asked once more. */
  readonly again: boolean;
};

type Understood = { readonly beginning: Beginning; readonly trouble: Trouble | undefined };

const ERROR_BYTES_MAX = 256_000;
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
  #isBegun = false;
  readonly #patience: CallPatience;

  constructor(desk: Desk, incoming: Incoming, response: ServerResponse, signal: AbortSignal) {
    this.#desk = desk;
    this.#incoming = incoming;
    this.#response = response;
    this.#signal = signal;
    this.request = incoming.route.wire.readRequest(incoming.parsed, incoming.route.target);
    this.number = desk.nextNumber();
    this.#begunAt = desk.clock.now();
    this.#patience = new CallPatience(desk.limitPatienceMs, desk.outages);
  }

  /** Found out when first asked for, which is after the call is on its way: hashing takes its time. */
  get about(): CallAbout {
    const { route, headers } = this.#incoming;
    const plain = plainHeaders(headers);
    return (this.#about ??= aboutCall(this.#desk, this.number, route, plain, this.request));
  }

  /** Asks the provider until it answers in a way that the agent should see. Once more when it says so. */
  async run(): Promise<Ended> {
    const { clock, bounds } = this.#desk;
    for (;;) {
      const bound = new AbortController();
      const over = new AbortController();
      void clock.sleep(bounds.firstByteMs, over.signal).then((slept) => slept && bound.abort());
      const asked = this.#ask(AbortSignal.any([this.#signal, bound.signal]));
      this.#tellBegun();
      const answer = await asked;
      if (answer instanceof Error) {
        over.abort();
        if (!bound.signal.aborted && (await this.#waits('no-answer'))) continue;
        return this.#unanswered(bound.signal.aborted ? 'timed-out' : 'unreachable', answer);
      }
      const status = answer.statusCode ?? 0;
      const { beginning, trouble } = await this.#understand(answer);
      over.abort();
      if (trouble !== undefined && (await this.#waits(trouble))) {
        if (!beginning.whole) answer.destroy();
        if (status >= 400) continue;
        return { end: 'cut', status, answer: null, costUsd: null, again: true };
      }
      if (this.#signal.aborted) return this.#end({ end: 'left', bytes: 0 }, status, null);
      if (typeof trouble === 'object' && status >= 400) this.#tellRefusal(trouble);
      return this.#return(answer, beginning, bound);
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

  /** Waits where waiting is ours. False: the agent is to see what there is, or has left. */
  async #waits(trouble: Trouble): Promise<boolean> {
    if (this.#signal.aborted) return false;
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
    this.#desk.workModel.see(this.about);
    this.#desk.tell({ kind: 'call-begun', call: this.about, requestBytes });
  }

  /** The windows that the headers tell of, and what is wrong with it, as far as that can be seen in time. */
  async #understand(answer: IncomingMessage): Promise<Understood> {
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
    if (status < 400 && does === 'generate' && outages.holdsBack) return this.#first(answer);
    if (status < 400) return { beginning: NOTHING_YET, trouble: undefined };
    const beginning = await readBeginning(answer, ERROR_BYTES_MAX);
    const text = await textOf(beginning.bytes, headers['content-encoding'], ERROR_BYTES_MAX);
    const reader = wire.answerReader();
    reader.take(parseJson(text ?? ''));
    const trouble = readRefusal(status, headers, reader.answer().error, now);
    return { beginning, trouble };
  }

  /** Until the agent has had an answer, the beginning of each is held back for a moment. */
  async #first(answer: IncomingMessage): Promise<Understood> {
    const beginning = await holdBack(answer, this.#desk.clock);
    if (beginning.broke) return { beginning, trouble: 'no-answer' };
    if (!beginning.whole) return { beginning, trouble: undefined };
    const heard = await readWhole(this.#incoming.route.wire, answer, beginning.bytes);
    if (isNothing(heard)) return { beginning, trouble: 'no-answer' };
    const { error } = heard;
    const now = this.#desk.clock.now();
    const trouble = error === null ? undefined : readRefusal(200, {}, error, now);
    return { beginning, trouble };
  }

  #tellRefusal(refusal: ProviderRefusal): void {
    const isWork = this.#desk.workModel.isDecidedBy(this.about);
    const decisive = isWork && (isDecisive(refusal) || this.#patience.isAtItsEnd);
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
    const { clock, prices, sizes, outages, workModel, tell, record } = this.#desk;
    const { bytes, firstByteAt } = passed;
    const { about, request } = this;
    const isEmpty = answer !== null && isWork(about) && (status ?? 0) < 400 && isNothing(answer);
    const end = isEmpty && passed.end === 'answered' ? 'nothing' : passed.end;
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
      decisive: this.#patience.isAtItsEnd && end !== 'left' && workModel.isDecidedBy(about),
    });
    if (isWork(about) && answer !== null && answer.stop !== null && answer.error === null) {
      outages.answered();
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
    return { end, status, answer, costUsd, again: false };
  }
}

function isWork(about: CallAbout): about is CallAbout & { readonly kind: 'main' | 'sub' } {
  return about.kind === 'main' || about.kind === 'sub';
}
