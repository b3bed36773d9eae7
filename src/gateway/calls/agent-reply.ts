/**
 * What the agent is answered. Some CLIs give up on a call whose headers take a minute, although the run is
 * only paused or the model thinks. So an answer that is not there in time is begun early: its headers go
 * out, and signs of life follow until it comes. An error that comes later is then told inside it.
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { recordField, textField } from '../wires/json-shape.ts';
import type { CallRoute } from './call-route.ts';
import type { WireName } from '../wires/wire.ts';

/** Gemini CLI waits for headers for 60 s, and no setting of its own changes that. */
export const EARLY_AFTER_MS = 45_000;
const SIGN_EVERY_MS = 15_000;

/** Google says it in the path, the others in the body. */
export function isStreamed({ route, parsed }: Asked): boolean {
  return parsed['stream'] === true || route.target.includes(':streamGenerateContent');
}

type Asked = {
  readonly route: Pick<CallRoute, 'wire' | 'does' | 'target'>;
  readonly parsed: Readonly<Record<string, unknown>>;
};

/** What may be sent to the agent before its answer is there. */
export function replyForm(asked: Asked): ReplyForm {
  const { wire, does } = asked.route;
  if (does !== 'generate') return { wire: wire.name, signs: 'none' };
  if (isStreamed(asked)) return { wire: wire.name, signs: 'events' };
  // Only Gemini CLI is that impatient, and spaces before JSON mean nothing.
  return { wire: wire.name, signs: wire.name === 'gemini' ? 'json' : 'none' };
}

type ReplyForm = {
  readonly wire: WireName;
  /** `events`: comments may be sent before them, or empty lines where a client knows no comments. `json`: spaces may be sent before it. `none`: nothing may. */
  readonly signs: 'events' | 'json' | 'none';
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
    if (form.signs !== 'none') void this.#giveSigns(clock);
  }

  /** Whether its headers are out already, with a status of 200. */
  get isEarly(): boolean {
    return this.#isEarly;
  }

  /** The answer is here: what is written from now on is its body. */
  begin(status: number, headers: OutgoingHttpHeaders): void {
    this.#waiting.abort();
    if (this.#isEarly) return;
    this.response.writeHead(status, headers);
    this.response.flushHeaders();
  }

  /** Ends it with an error in the provider's own shape. */
  refuse(status: number, body: Json): void {
    this.begin(status, { 'content-type': 'application/json' });
    const written = JSON.stringify(body);
    const isEvent = this.#isEarly && this.#form.signs === 'events';
    this.response.end(isEvent ? errorEvent(this.#form.wire, body) : written);
  }

  [Symbol.dispose](): void {
    this.#waiting.abort();
  }

  async #giveSigns(clock: Clock): Promise<void> {
    const { signal } = this.#waiting;
    const isEvents = this.#form.signs === 'events';
    if (!(await clock.sleep(EARLY_AFTER_MS, signal))) return;
    this.#isEarly = true;
    this.response.writeHead(200, {
      'content-type': isEvents ? 'text/event-stream' : 'application/json',
      'cache-control': 'no-cache',
    });
    const sign = !isEvents ? ' ' : this.#form.wire === 'gemini' ? '\n' : ': waiting\n\n';
    do this.response.write(sign);
    while (await clock.sleep(SIGN_EVERY_MS, signal));
  }
}

/** How each provider reports an error in the middle of a stream. Google's client takes bare JSON for one. */
function errorEvent(wire: WireName, body: Json): string {
  if (wire === 'gemini') return JSON.stringify(body);
  if (wire === 'anthropic') return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
  if (wire === 'openai-chat') return `data: ${JSON.stringify(body)}\n\n`;
  const error = recordField(recordField(body)['error']);
  const code = textField(error['code']) || textField(error['type']);
  const event = { type: 'error', code, message: textField(error['message']), param: null };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}
