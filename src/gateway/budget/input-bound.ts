/**
 * The most tokens that a request can have. A tokenizer makes at most one token of a byte, so the bytes are a bound
 * for text, in the longer of its two Unicode forms. Images and tools that the provider describes have their own
 * bounds. Data that unpacks at the provider (documents, sound, video) may fill the whole context.
 */
import { createHash } from 'node:crypto';
import { conversationChain } from '../calls/classify-call.ts';
import { withoutMark, withoutMarks } from './cache-marks.ts';
import { imagesAnywhere, imagesIn, unpacks } from './media.ts';
import { textField } from '../wires/json-shape.ts';
import { describedTools, referencedBytes } from './tool-bounds.ts';
import type { TokenUsage, WireName } from '../wires/wire.ts';

type Body = Readonly<Record<string, unknown>>;

/** Text that a provider adds: roles, and how to use the tools. */
const ADDED_TOKENS = 1000;
/** Room for a limit that the gateway inserts or lowers, because some providers count it too. */
const CHANGED_TOKENS = 256;
const IMAGE_TOKENS = 20_000;
/** OpenAI's small models count an image at many times the usual rate: up to 48,169 tokens with gpt-4o-mini. */
const IMAGE_TOKENS_SMALL = 50_000;
/** The highest known value, for the computer-use tool, is 735. */
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
 * Conversations grow at their end. The count of a provider for an earlier call is exact, so only the items after it
 * need a bound.
 */
export class InputBounds {
  readonly #known = new Map<string, number>();

  /** `contextMax` is the size of the model's context. */
  bound(request: Countable, contextMax: number): number {
    const { items, chain, seed } = splitRequest(request);
    const at = chain.findLastIndex((hash) => this.#known.has(seed + hash));
    const known = this.#known.get(seed + (chain[at] ?? ''));
    const newItems = items.slice(at + 1);
    const rest = known === undefined ? request.body : newItems;
    if (unpacks(rest)) return contextMax;
    const images = imagesIn(request.wire, newItems);
    const imageTokensTotal = Math.max(images.count, imagesAnywhere(rest)) * imageTokens(request);
    const toolTokens = describedTools(rest) * DESCRIBED_TOKENS;
    const textTokensTotal = textTokens(JSON.stringify(rest)) - images.bytes;
    const referenced = referencedBytes(newItems, request.body['tools']);
    const added = known === undefined ? ADDED_TOKENS : CHANGED_TOKENS;
    return (known ?? 0) + added + textTokensTotal + imageTokensTotal + toolTokens + referenced;
  }

  learn(request: Countable, { inputTokens }: TokenUsage): void {
    const { chain, seed } = splitRequest(request);
    const whole = chain.at(-1);
    if (whole === undefined || inputTokens <= 0) return;
    this.#known.set(seed + whole, inputTokens);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Some tokenizers first normalize characters to NFKC. Then three bytes can become 33. */
function textTokens(written: string): number {
  const bytes = Buffer.byteLength(written);
  if (bytes === written.length) return bytes; // ASCII only
  return Math.max(bytes, Buffer.byteLength(written.normalize('NFKC')));
}

function imageTokens({ wire, body }: Countable): number {
  const isSmall = wire.startsWith('openai') && /mini|nano/i.test(textField(body['model']));
  return isSmall ? IMAGE_TOKENS_SMALL : IMAGE_TOKENS;
}

export type Countable = {
  readonly wire: WireName;
  readonly conversationKey: string;
  /** Path and query. On the Gemini wire they name the model. */
  readonly target: string;
  readonly body: Body;
};

function splitRequest({ conversationKey, target, body }: Countable): {
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

/** Instructions and tools are lists whose items may have a cache mark. */
function unmarked([name, value]: [string, unknown]): [string, unknown] {
  const hasMarks = (name === 'system' || name === 'tools') && Array.isArray(value);
  return [name, hasMarks ? value.map(withoutMark) : value];
}
