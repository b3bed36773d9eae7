/** Cache marks of the Anthropic wire (`cache_control`), which are no content that a model reads. */
import { isRecord } from '../../base/json.ts';

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
