/**
 * Puts a text into a conversation on its way to the model, for agents that have no channel of their
 * own. Where it goes is anchored by content: after the unit at which the chain of hashes has a known
 * value. So the same request always gets the same text at the same place, whether it is a retry, a
 * fork or comes from a restarted agent, and what was sent before stays a prefix of what is sent next.
 */
import { isRecord, parseJson } from '../../base/json.ts';
import { conversationChain } from '../calls/classify-call.ts';
import { READERS } from '../calls/call-route.ts';
import { recordList } from '../wires/json-shape.ts';
import type { WireName } from '../wires/wire.ts';

export type Anchor = {
  /** The value of the chain after which the text stands: see `anchorAt`. */
  readonly after: string;
  readonly text: string;
};

export type Insertion =
  | { readonly kind: 'inserted'; readonly body: string; readonly count: number }
  /** No anchor is in this conversation: the body goes on as it came. */
  | { readonly kind: 'unchanged' }
  /** Rewriting it could change more than was meant, so it is left alone. */
  | { readonly kind: 'refused'; readonly why: 'not-json' | 'round-trip' | 'no-tools' };

type Body = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, unknown>>;

/** Where a text would go now, or undefined when this is no place for one. */
export function anchorAt(wire: WireName, body: string): string | undefined {
  const parsed = parseJson(body);
  if (!isRecord(parsed)) return undefined;
  const items = itemsOf(wire, parsed);
  const last = lastPlace(wire, items);
  return last === undefined ? undefined : conversationChain(items.map(withoutMarks))[last];
}

export function insertText(wire: WireName, body: string, anchors: readonly Anchor[]): Insertion {
  const parsed = parseJson(body);
  if (!isRecord(parsed)) return { kind: 'refused', why: 'not-json' };
  if (READERS[wire].readRequest(parsed, '').tools.length === 0)
    return { kind: 'refused', why: 'no-tools' };
  if (JSON.stringify(parsed) !== body) return { kind: 'refused', why: 'round-trip' };
  const items = itemsOf(wire, parsed);
  if (hasStrangeItems(wire, parsed)) return { kind: 'refused', why: 'round-trip' };
  const chain = conversationChain(items.map(withoutMarks));
  let inserted = 0;
  const written = items.flatMap((item, index) => {
    const texts = anchors.filter(({ after }) => after === chain[index]).map(({ text }) => text);
    inserted += texts.length;
    return texts.length === 0 ? [item] : withTexts(wire, item, texts);
  });
  if (inserted === 0) return { kind: 'unchanged' };
  const key = READERS[wire].conversationKey;
  return { kind: 'inserted', body: JSON.stringify({ ...parsed, [key]: written }), count: inserted };
}

function itemsOf(wire: WireName, body: Body): readonly Item[] {
  return recordList(body[READERS[wire].conversationKey]);
}

/** An item that is no object would be lost. */
function hasStrangeItems(wire: WireName, body: Body): boolean {
  const items = body[READERS[wire].conversationKey];
  return Array.isArray(items) && !items.every(isRecord);
}

/** Marks for the provider's cache move from request to request; what is said does not. */
export function withoutMarks(item: unknown): unknown {
  const bare = withoutMark(item);
  if (!isRecord(bare) || !Array.isArray(bare['content'])) return bare;
  return { ...bare, content: bare['content'].map(withoutMark) };
}

/**
 * A block or a tool without the mark that stands directly on it. Deeper down, in what a tool is given, the same
 * name holds text that the model reads, and so does a mark that has more in it than the API knows.
 */
export function withoutMark(block: unknown): unknown {
  if (!isRecord(block) || !isMark(block['cache_control'])) return block;
  return Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'cache_control'));
}

const MARK_CHARS_MAX = 20;

function isMark(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([key, one]) =>
      (key === 'type' || key === 'ttl') && typeof one === 'string' && one.length <= MARK_CHARS_MAX,
  );
}

/** The item after which, or into which, a text may go without parting a call from its results. */
function lastPlace(wire: WireName, items: readonly Item[]): number | undefined {
  const index = items.findLastIndex((item) => !isSystem(wire, item));
  const last = items[index];
  return last !== undefined && isPlace(wire, last) ? index : undefined;
}

function isSystem(wire: WireName, { role, type }: Item): boolean {
  if (wire === 'anthropic') return role === 'system';
  return wire === 'openai-responses' && (type === 'additional_tools' || role === 'developer');
}

function isPlace(wire: WireName, { role, type }: Item): boolean {
  switch (wire) {
    case 'anthropic':
    case 'gemini':
      return role === 'user';
    case 'openai-chat':
      return role === 'user' || role === 'tool';
    case 'openai-responses':
      return (typeof type === 'string' && type.endsWith('_call_output')) || role === 'user';
  }
}

function withTexts(wire: WireName, item: Item, texts: readonly string[]): readonly unknown[] {
  switch (wire) {
    case 'anthropic': {
      const { content } = item;
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      const added = texts.map((text) => ({ type: 'text', text }));
      return [{ ...item, content: [...(Array.isArray(blocks) ? blocks : []), ...added] }];
    }
    case 'gemini': {
      const parts: readonly unknown[] = Array.isArray(item['parts']) ? item['parts'] : [];
      return [{ ...item, parts: [...parts, ...texts.map((text) => ({ text }))] }];
    }
    case 'openai-chat':
      return [item, ...texts.map((content) => ({ role: 'user', content }))];
    case 'openai-responses':
      return [
        item,
        ...texts.map((text) => ({
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text }],
        })),
      ];
  }
}
