/**
 * The response to the agent. Some CLIs give up on a call whose headers take a minute, although the run is only paused
 * or the model thinks. So an answer that is late is begun early: its headers are sent, and keep-alive bytes follow
 * until it comes. An error that comes later is then reported in the body.
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { recordField, textField } from '../wires/json-shape.ts';
import type { CallRoute } from './call-route.ts';
import type { WireName } from '../wires/wire.ts';

/** Gemini CLI waits 60 s for headers, and no setting changes that. */
export const EARLY_AFTER_MS = 45_000;
const KEEP_ALIVE_MS = 15_000;

/** Google names it in the path, the other providers in the body. */
export function isStreamed({ route, parsed }: RequestedCall): boolean {
  return parsed['stream'] === true || route.target.includes(':streamGenerateContent');
}

type RequestedCall = {
  readonly route: Pick<CallRoute, 'wire' | 'operation' | 'target'>;
  readonly parsed: Readonly<Record<string, unknown>>;
};

/** What may be sent to the agent before its answer is there. */
export function replyForm(call: RequestedCall): ReplyForm {
  const { wire, operation } = call.route;
  if (operation !== 'generate') return { wire: wire.name, keepAlive: 'none' };
  if (isStreamed(call)) return { wire: wire.name, keepAlive: 'events' };
  // Only Gemini CLI is that impatient, and spaces before JSON mean nothing.
  return { wire: wire.name, keepAlive: wire.name === 'gemini' ? 'json' : 'none' };
}

type ReplyForm = {
  readonly wire: WireName;
  /**
   * The keep-alive bytes that may be sent before the answer. `events`: SSE comments, or empty lines for a client that
   * knows no comments. `json`: spaces. `none`: nothing.
   */
  readonly keepAlive: 'events' | 'json' | 'none';
};

export class AgentReply implements Disposable {
  readonly response: ServerResponse;
  readonly #form: ReplyForm;
  readonly #waiting = new AbortController();
  #isEarly = false;

  constructor(response: ServerResponse, form: ReplyForm, clock: Clock) {
    this.response = response;
    this.#form = form;
    response.once('close', () => this.#waiting.abort());
    if (form.keepAlive !== 'none') void this.#sendKeepAlive(clock);
  }

  /** Whether the headers were already sent, with status 200. */
  get isEarly(): boolean {
    return this.#isEarly;
  }

  /** The answer has arrived: everything written from now on is its body. */
  begin(status: number, headers: OutgoingHttpHeaders): void {
    this.#waiting.abort();
    if (this.#isEarly) return;
    this.response.writeHead(status, headers);
    this.response.flushHeaders();
  }

  /** Ends the response with an error in the provider's own format. */
  refuse(status: number, body: Json): void {
    this.begin(status, { 'content-type': 'application/json' });
    const written = JSON.stringify(body);
    const isEvent = this.#isEarly && this.#form.keepAlive === 'events';
    this.response.end(isEvent ? errorEvent(this.#form.wire, body) : written);
  }

  [Symbol.dispose](): void {
    this.#waiting.abort();
  }

  async #sendKeepAlive(clock: Clock): Promise<void> {
    const { signal } = this.#waiting;
    const isEvents = this.#form.keepAlive === 'events';
    if (!(await clock.sleep(EARLY_AFTER_MS, signal))) return;
    this.#isEarly = true;
    this.response.writeHead(200, {
      'content-type': isEvents ? 'text/event-stream' : 'application/json',
      'cache-control': 'no-cache',
    });
    const sign = !isEvents ? ' ' : this.#form.wire === 'gemini' ? '\n' : ': waiting\n\n';
    do this.response.write(sign);
    while (await clock.sleep(KEEP_ALIVE_MS, signal));
  }
}

/** The form in which each provider reports an error in the middle of a stream. Google's client accepts bare JSON. */
function errorEvent(wire: WireName, body: Json): string {
  if (wire === 'gemini') return JSON.stringify(body);
  if (wire === 'anthropic') return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
  if (wire === 'openai-chat') return `data: ${JSON.stringify(body)}\n\n`;
  const error = recordField(recordField(body)['error']);
  const code = textField(error['code']) || textField(error['type']);
  const event = { type: 'error', code, message: textField(error['message']), param: null };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}
