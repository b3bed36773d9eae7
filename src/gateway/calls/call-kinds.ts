/**
 * Determines what each call of one attempt is for. The known CLIs offer tools in every call of their work, so a call
 * without tools is a side call. Nothing is known about a custom agent: its plain calls are work until it offers
 * tools. From then on, a plain call is work if it continues a conversation of the work.
 */
import type { CallKind, CallHeaders } from './classify-call.ts';
import { classifyCall } from './classify-call.ts';
import type { CallRoute } from './call-route.ts';
import type { ModelRequest } from '../wires/wire.ts';

/** What a call without tools is for, as far as the agent's CLI is known. */
export type PlainCalls = 'side' | 'work';

const CONVERSATIONS_MAX = 1000;

export class CallKinds {
  readonly #plain: PlainCalls;
  readonly #working = new Set<string>();
  #hasTools = false;

  constructor(plain: PlainCalls) {
    this.#plain = plain;
  }

  classify(
    operation: CallRoute['operation'],
    headers: CallHeaders,
    request: ModelRequest,
    conversation: string,
  ): CallKind {
    if (operation === 'compact') return 'compaction';
    if (operation !== 'generate') return operation === 'count' ? 'count' : 'probe';
    const kind = this.#classifyGenerate(headers, request, conversation);
    this.#hasTools ||= request.tools.length > 0;
    if (kind === 'main' || kind === 'sub') this.#remember(conversation);
    return kind;
  }

  #classifyGenerate(headers: CallHeaders, request: ModelRequest, conversation: string): CallKind {
    const kind = classifyCall(headers, request);
    const isPlain = request.tools.length === 0 && (kind === 'side' || kind === 'compaction');
    if (this.#plain === 'side' || !isPlain) return kind;
    // Before the first call with tools there is no history to compact. Text that sounds like a compaction is part of
    // the task.
    if (!this.#hasTools) return 'main';
    return kind === 'side' && this.#working.has(conversation) ? 'main' : kind;
  }

  #remember(conversation: string): void {
    this.#working.add(conversation);
    const [oldest] = this.#working;
    if (this.#working.size > CONVERSATIONS_MAX && oldest !== undefined)
      this.#working.delete(oldest);
  }
}
