/**
 * How many tokens a request can have at most. A tokenizer makes no more than one token of a byte, so the
 * bytes are a bound for text, in the longer of its two forms. Images and tools that the provider describes have
 * a bound of their own, and what unpacks at the provider (documents, sound, film) may fill the whole context.
 */
import { createHash } from 'node:crypto';
import { conversationChain } from '../calls/classify-call.ts';
import { withoutMark, withoutMarks } from '../observe/insert-text.ts';
import { imagesAnywhere, imagesIn, unpacks } from './media.ts';
import { textField } from '../wires/json-shape.ts';
import { describedTools, referencedBytes } from './tool-bounds.ts';
import type { TokenUsage, WireName } from '../wires/wire.ts';

type Body = Readonly<Record<string, unknown>>;

/** The words that a provider adds by itself: roles, and how tools are to be used. */
const ADDED_TOKENS = 1000;
/** A limit that is put in or lowered, for providers that count it too. */
const CHANGED_TOKENS = 256;
const IMAGE_TOKENS = 20_000;
/** The small models of OpenAI count an image many times as much: up to 48,169 tokens with gpt-4o-mini. */
const IMAGE_TOKENS_SMALL = 50_000;
/** The dearest known, for the use of a computer, is 735. */
const DESCRIBED_TOKENS = 1500;

/** Fields that change from call to call and that the model does not read. */
const UNREAD: ReadonlySet<string> = new Set([
  'client_metadata',
  'include',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'metadata',
  'prompt_cache_key',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'user',
]);

const KNOWN_MAX = 500;

/**
 * Conversations grow at their end. What a provider has counted once is known; only what came after it
 * has to be bounded.
 */
export class InputBounds {
  readonly #known = new Map<string, number>();

  /** `contextMax` is what fits into the model at most. */
  of(request: Countable, contextMax: number): number {
    const { items, chain, seed } = partsOf(request);
    const at = chain.findLastIndex((hash) => this.#known.has(seed + hash));
    const known = this.#known.get(seed + (chain[at] ?? ''));
    const since = items.slice(at + 1);
    const rest = known === undefined ? request.body : since;
    if (unpacks(rest)) return contextMax;
    const images = imagesIn(request.wire, since);
    const shown = Math.max(images.count, imagesAnywhere(rest)) * imageTokens(request);
    const described = describedTools(rest) * DESCRIBED_TOKENS;
    const written = textTokens(JSON.stringify(rest)) - images.bytes;
    const referenced = referencedBytes(since, request.body['tools']);
    const added = known === undefined ? ADDED_TOKENS : CHANGED_TOKENS;
    return (known ?? 0) + added + written + shown + described + referenced;
  }

  learn(request: Countable, { inputTokens }: TokenUsage): void {
    const { chain, seed } = partsOf(request);
    const whole = chain.at(-1);
    if (whole === undefined || inputTokens <= 0) return;
    this.#known.set(seed + whole, inputTokens);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Some tokenizers bring characters into a common form (NFKC) first: then three bytes may become 33. */
function textTokens(written: string): number {
  const bytes = Buffer.byteLength(written);
  if (bytes === written.length) return bytes; // nothing but ASCII
  return Math.max(bytes, Buffer.byteLength(written.normalize('NFKC')));
}

function imageTokens({ wire, body }: Countable): number {
  const isSmall = wire.startsWith('openai') && /mini|nano/i.test(textField(body['model']));
  return isSmall ? IMAGE_TOKENS_SMALL : IMAGE_TOKENS;
}

export type Countable = {
  readonly wire: WireName;
  readonly conversationKey: string;
  /** Path and query: on one wire the model is named there. */
  readonly target: string;
  readonly body: Body;
};

function partsOf({ conversationKey, target, body }: Countable): {
  readonly items: readonly unknown[];
  readonly chain: readonly string[];
  readonly seed: string;
} {
  const conversation = body[conversationKey];
  const items: readonly unknown[] = Array.isArray(conversation) ? conversation : [conversation];
  const others = Object.entries(body).filter(
    ([name]) => name !== conversationKey && !UNREAD.has(name),
  );
  const seed = createHash('sha256')
    .update(JSON.stringify([target, others.map(unmarked)]))
    .digest('base64');
  return { items, chain: conversationChain(items.map(withoutMarks)), seed };
}

/** Instructions and tools are lists of what may have a mark for the cache. */
function unmarked([name, value]: [string, unknown]): [string, unknown] {
  const hasMarks = (name === 'system' || name === 'tools') && Array.isArray(value);
  return [name, hasMarks ? value.map(withoutMark) : value];
}
