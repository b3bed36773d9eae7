/**
 * Inserts texts into a conversation at places that stay the same in all later requests. A place is named by a hash of
 * the conversation up to it. So a retry, a fork or a later request gets the same text at the same place, and the
 * beginning of the conversation never changes: the provider's cache stays valid.
 */
import { createHash } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import type { RequestBody } from '../screen/screen.ts';
import type { WireName } from '../wires/wire.ts';

type Item = Readonly<Record<string, unknown>>;
type Insertion = {
  /** Whether the item is the result of a tool call, after which a text may follow. */
  readonly isBoundary: (item: Item) => boolean;
  /** Whether such an item may follow the last boundary. */
  readonly mayFollow: (item: Item) => boolean;
  /** The item, and what follows it, with the text. */
  readonly insert: (item: Item, text: string) => readonly Item[];
};

const never = (): boolean => false;

const WIRES: Readonly<Record<WireName, Insertion>> = {
  anthropic: {
    isBoundary: ({ role, content }) => role === 'user' && has(content, 'type', 'tool_result'),
    mayFollow: ({ role }) => role === 'system',
    insert: (item, text) => [withPart(item, 'content', { type: 'text', text })],
  },
  'openai-responses': {
    isBoundary: ({ type }) => typeof type === 'string' && type.endsWith('_call_output'),
    mayFollow: never,
    insert: (item, text) => [
      item,
      { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
    ],
  },
  'openai-chat': {
    isBoundary: ({ role }) => role === 'tool',
    mayFollow: never,
    insert: (item, text) => [item, { role: 'user', content: text }],
  },
  gemini: {
    isBoundary: ({ role, parts }) => role === 'user' && has(parts, 'functionResponse'),
    mayFollow: never,
    insert: (item, text) => [withPart(item, 'parts', { text })],
  },
};

function has(parts: unknown, key: string, value?: string): boolean {
  if (!Array.isArray(parts)) return false;
  return parts.some(
    (part) => isRecord(part) && key in part && (value === undefined || part[key] === value),
  );
}

function withPart(item: Item, key: string, part: Item): Item {
  const parts: unknown = item[key];
  return { ...item, [key]: [...(Array.isArray(parts) ? (parts as unknown[]) : []), part] };
}

/** The items of a conversation. Undefined: it has none, or one that is no object. */
export function conversationItems(body: RequestBody, key: string): readonly Item[] | undefined {
  const items: unknown = body[key];
  return Array.isArray(items) && items.every(isRecord) ? items : undefined;
}

/**
 * A CLI moves its marks for the provider's cache from request to request. A text that had one is a block, and without it
 * a plain string. Both are the same to the provider.
 */
function withoutCacheMarks(key: string, value: unknown): unknown {
  if (key === 'cache_control') return undefined;
  const [only, ...others] = key === 'content' && Array.isArray(value) ? (value as unknown[]) : [];
  if (!isRecord(only) || others.length > 0 || only['type'] !== 'text') return value;
  const { type: _, text, cache_control: _mark, ...rest } = only;
  return Object.keys(rest).length === 0 ? text : value;
}

/** For each item, a hash of it and of all items before it. */
export function placeHashes(items: readonly Item[]): readonly string[] {
  let previous = '';
  return items.map((item) => {
    const written = JSON.stringify(item, withoutCacheMarks);
    previous = createHash('sha256').update(previous).update(written).digest('base64');
    return previous;
  });
}

/** The last item, if a text may follow it now: it is the result of a tool call that the model has not answered yet. */
export function findBoundary(wire: WireName, items: readonly Item[]): number | undefined {
  const { isBoundary, mayFollow } = WIRES[wire];
  const at = items.findLastIndex((item) => !mayFollow(item));
  const item = items[at];
  return item !== undefined && isBoundary(item) ? at : undefined;
}

/** `texts` has one text for some places. */
export function insertTexts(
  wire: WireName,
  items: readonly Item[],
  hashes: readonly string[],
  texts: ReadonlyMap<string, string>,
): readonly Item[] {
  return items.flatMap((item, at) => {
    const text = texts.get(hashes[at] ?? '');
    return text === undefined ? [item] : WIRES[wire].insert(item, text);
  });
}
