/** What a call may cost at most: the wish that it brings to its budgets. */
import type { CallEstimate } from './budget-ledger.ts';
import type { Countable, InputBounds } from './input-bound.ts';
import { namedOutputMax, thinkingMin } from './limit-output.ts';
import { unpacks } from './media.ts';
import type { OutputEstimates } from './output-estimates.ts';
import type { CacheRequest, Price } from './prices.ts';
import { dearestRates, SERVER_TOOL_USD } from './prices.ts';

/** Where nothing is known of a model: as much as any writes, and as much as any reads. */
const OUTPUT_UNKNOWN_MAX = 128_000;
const CONTEXT_UNKNOWN_MAX = 2_000_000;
/** Betas widen the context of older models. */
const CONTEXT_ANTHROPIC_MAX = 1_000_000;
/** Fewer tokens than these are no answer. */
const OUTPUT_USEFUL_MIN = 1024;
const SERVER_TOOL_USES_MAX = 10;
const CHARS_PER_TOKEN = 4;

export type PricedRequest = Countable & {
  readonly model: string;
  /** The body as it goes on. */
  readonly text: string;
  readonly price: Price | undefined;
  readonly factor: number;
  readonly usesServerTools: boolean;
  /** It names files or addresses whose content the provider adds. What was counted once may differ the next time. */
  readonly namesRemote: boolean;
  /**
   * Whether a limit on what is written can be put into the request. `never`: not, so there has to be room
   * for all that the model may write. `on-a-plan`: not, and what is written costs no money either.
   */
  readonly limits: 'in-request' | 'never' | 'on-a-plan';
};

/** The most that it can cost, where that is capped. */
export function worstCaseEstimate(
  call: PricedRequest,
  inputs: InputBounds,
  sizes: OutputEstimates,
): CallEstimate {
  const { wire, body, price, factor, usesServerTools, namesRemote } = call;
  const contextMax = contextOf(call);
  const isOpen = usesServerTools || namesRemote;
  const inputTokens = isOpen ? contextMax : inputs.of(call, contextMax);
  const named = namedOutputMax(wire, body);
  const modelMax = price?.outputMax ?? OUTPUT_UNKNOWN_MAX;
  const wanted = Math.ceil(Math.min(named ?? modelMax, modelMax));
  const outputTokens = call.limits === 'on-a-plan' ? sizes.expect(call.model, wanted) : wanted;
  const useful = Math.max(OUTPUT_USEFUL_MIN, thinkingMin(wire, body));
  const outputTokensMin =
    call.limits === 'in-request' ? Math.min(outputTokens, useful) : outputTokens;
  if (price === undefined) return { inputTokens, outputTokens, outputTokensMin, usd: null };
  // A film has sound too, and an address may lead to either.
  const hasSound = wire === 'gemini' && (isOpen || unpacks(body));
  const rates = dearestRates(inputTokens, cacheWish(call), price, hasSound);
  const tools = usesServerTools ? SERVER_TOOL_USES_MAX * SERVER_TOOL_USD : 0;
  return {
    inputTokens,
    outputTokens,
    outputTokensMin,
    usd: { input: inputTokens * rates.input * factor + tools, outputToken: rates.output * factor },
  };
}

/** What it will probably cost, where nothing is capped: for the record only. */
export function expectedEstimate(call: PricedRequest, sizes: OutputEstimates): CallEstimate {
  const { price, factor, text } = call;
  const inputTokens = Math.ceil(text.length / CHARS_PER_TOKEN);
  const outputTokens = sizes.expect(call.model, namedOutputMax(call.wire, call.body));
  const rates = price === undefined ? null : dearestRates(inputTokens, 'none', price);
  return {
    inputTokens,
    outputTokens,
    outputTokensMin: outputTokens,
    usd: rates && {
      input: inputTokens * rates.input * factor,
      outputToken: rates.output * factor,
    },
  };
}

function contextOf({ price, wire }: PricedRequest): number {
  const known = price?.contextMax ?? CONTEXT_UNKNOWN_MAX;
  return wire === 'anthropic' ? Math.max(known, CONTEXT_ANTHROPIC_MAX) : known;
}

/** Anthropic writes into a cache where it is told to, others where they like. The text is written by us. */
function cacheWish({ wire, text }: PricedRequest): CacheRequest {
  if (wire !== 'anthropic') return 'minutes';
  if (!text.includes('"cache_control"')) return 'none';
  return text.includes('"ttl":"1h"') ? 'hour' : 'minutes';
}
