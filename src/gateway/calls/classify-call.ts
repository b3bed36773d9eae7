import { createHash } from 'node:crypto';
import { isRecord, parseJson } from '../../base/json.ts';
import type { ModelRequest, MessageUnit } from '../wires/wire.ts';

/**
 * What a call is for. `main` and `sub` (a subagent) do the work, and only they can decide an attempt. `side` calls
 * (titles, routers) offer no tools. `count` and `probe` produce nothing.
 */
export type CallKind = 'main' | 'sub' | 'side' | 'compaction' | 'count' | 'probe';

export type CallHeaders = Readonly<Record<string, string>>;

/** Phrases by which CLIs ask for a shorter history, if no header says so. */
const COMPACTION =
  /create a detailed summary of (the|this) conversation|tasked with summarizing conversations|context summarization agent|anchored summary|distilling chat history|CONTEXT CHECKPOINT COMPACTION/i;

/** The kind of a call that generates. Calls that only count or probe are known by their path. */
export function classifyCall(headers: CallHeaders, request: ModelRequest): CallKind {
  const turn = parseJson(headers['x-codex-turn-metadata'] ?? '');
  const codex = isRecord(turn) ? turn : {};
  if (codex['request_kind'] === 'compaction') return 'compaction';
  if (codex['request_kind'] === 'prewarm') return 'probe';
  const last = request.units.findLast((unit) => unit.kind === 'prompt');
  if (request.tools.length === 0)
    return COMPACTION.test(request.system) || COMPACTION.test(last?.text ?? '')
      ? 'compaction'
      : 'side';
  if (request.units.at(-1) === last && COMPACTION.test(last?.text ?? '')) return 'compaction';
  const isSub =
    headers['x-claude-code-agent-id'] !== undefined ||
    headers['x-interaction-type'] === 'conversation-subagent' ||
    headers['x-parent-session-id'] !== undefined ||
    (codex['agent_name'] ?? '/root') !== '/root';
  return isSub ? 'sub' : 'main';
}

/** The id that the CLI itself gives the conversation. */
function namedConversation(headers: CallHeaders): string | undefined {
  const session = headers['x-claude-code-session-id'];
  const agent = headers['x-claude-code-agent-id'];
  if (session !== undefined) return agent === undefined ? session : `${session}/${agent}`;
  return headers['thread-id'] ?? headers['x-session-id'];
}

/**
 * Identifies conversations without an id: a request continues the conversation whose units are its longest known
 * prefix. Two agents that begin with the same words are the same conversation until they differ.
 */
export class Conversations {
  readonly #known = new Map<string, string>();
  readonly #knownMax: number;
  #count = 0;

  constructor(knownMax = 5000) {
    this.#knownMax = knownMax;
  }

  identify(headers: CallHeaders, units: readonly MessageUnit[]): string {
    const named = namedConversation(headers);
    if (named !== undefined) return named;
    const chain = conversationChain(units);
    const found = chain.findLast((hash) => this.#known.has(hash));
    const id = (found && this.#known.get(found)) ?? `conversation-${(this.#count += 1)}`;
    const whole = chain.at(-1);
    if (whole !== undefined) this.#remember(whole, id);
    return id;
  }

  #remember(hash: string, id: string): void {
    this.#known.set(hash, id);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#knownMax && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** For each item, a hash of it and all items before it: equal hashes mean equal beginnings. */
export function conversationChain(items: readonly unknown[]): readonly string[] {
  let previous = '';
  return items.map((item) => {
    previous = createHash('sha256').update(previous).update(JSON.stringify(item)).digest('base64');
    return previous;
  });
}
