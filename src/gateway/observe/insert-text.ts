/**
 * Inserts a text into a conversation on its way to the model, for agents that have no channel of their own. The place
 * is anchored by content: after the unit at which the hash chain has a known value. So the same request always gets
 * the same text at the same place, whether it is a retry, a fork or comes from a restarted agent. Earlier requests
 * stay a prefix of later ones.
 */
import { isRecord, parseJson } from '../../base/json.ts';
import { conversationChain } from '../calls/classify-call.ts';
import { READERS } from '../calls/call-route.ts';
import { recordList } from '../wires/json-shape.ts';
import type { WireName } from '../wires/wire.ts';

export type Anchor = {
  /** The value of the hash chain after which the text is inserted: see `anchorAt`. */
  readonly after: string;
  readonly text: string;
};

export type Insertion =
  | { readonly kind: 'inserted'; readonly body: string; readonly count: number }
  /** No anchor is in this conversation, so the body is forwarded unchanged. */
  | { readonly kind: 'unchanged' }
  /** Rewriting the body could change more than intended, so it is left unchanged. */
  | { readonly kind: 'refused'; readonly why: 'not-json' | 'round-trip' | 'no-tools' };

type Body = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, unknown>>;

/** The place where a text would be inserted now. Undefined if there is no valid place. */
export function anchorAt(wire: WireName, body: string): string | undefined {
  const parsed = parseJson(body);
  if (!isRecord(parsed)) return undefined;
  const items = conversationItems(wire, parsed);
  const last = lastInsertionPoint(wire, items);
  return last === undefined ? undefined : conversationChain(items.map(withoutMarks))[last];
}

export function insertText(wire: WireName, body: string, anchors: readonly Anchor[]): Insertion {
  const parsed = parseJson(body);
  if (!isRecord(parsed)) return { kind: 'refused', why: 'not-json' };
  if (READERS[wire].readRequest(parsed, '').tools.length === 0)
    return { kind: 'refused', why: 'no-tools' };
  if (JSON.stringify(parsed) !== body) return { kind: 'refused', why: 'round-trip' };
  const items = conversationItems(wire, parsed);
  if (hasNonObjectItems(wire, parsed)) return { kind: 'refused', why: 'round-trip' };
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

function conversationItems(wire: WireName, body: Body): readonly Item[] {
  return recordList(body[READERS[wire].conversationKey]);
}

/** An item that is not an object would be lost. */
function hasNonObjectItems(wire: WireName, body: Body): boolean {
  const items = body[READERS[wire].conversationKey];
  return Array.isArray(items) && !items.every(isRecord);
}

/** Removes cache marks. They move from request to request, although the content stays the same. */
export function withoutMarks(item: unknown): unknown {
  const bare = withoutMark(item);
  if (!isRecord(bare) || !Array.isArray(bare['content'])) return bare;
  return { ...bare, content: bare['content'].map(withoutMark) };
}

/**
 * Removes the cache mark directly on a block or a tool. Deeper down, in the input of a tool, the same name holds text
 * that the model reads. So does a mark with more fields than the API knows.
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

/** The item after which, or into which, a text may be inserted without separating a call from its results. */
function lastInsertionPoint(wire: WireName, items: readonly Item[]): number | undefined {
  const index = items.findLastIndex((item) => !isSystem(wire, item));
  const last = items[index];
  return last !== undefined && acceptsText(wire, last) ? index : undefined;
}

function isSystem(wire: WireName, { role, type }: Item): boolean {
  if (wire === 'anthropic') return role === 'system';
  return wire === 'openai-responses' && (type === 'additional_tools' || role === 'developer');
}

function acceptsText(wire: WireName, { role, type }: Item): boolean {
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
