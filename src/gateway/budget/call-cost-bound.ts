/** The most that a call may cost: the estimate that it reserves in its budgets. */
import type { CallEstimate } from './budget-ledger.ts';
import type { Countable, InputBounds } from './input-bound.ts';
import { namedOutputMax, thinkingMin } from './limit-output.ts';
import { unpacks } from './media.ts';
import type { OutputEstimates } from './output-estimates.ts';
import type { CacheRequest, Price } from '../../prices/price.ts';
import { highestRates, SERVER_TOOL_USD } from '../../prices/price.ts';

/** For an unknown model: the longest output and the largest context of any model. */
const OUTPUT_UNKNOWN_MAX = 128_000;
const CONTEXT_UNKNOWN_MAX = 2_000_000;
/** Beta headers widen the context of older models. */
const CONTEXT_ANTHROPIC_MAX = 1_000_000;
/** A shorter answer is useless. */
const OUTPUT_USEFUL_MIN = 1024;
const SERVER_TOOL_USES_MAX = 10;
const CHARS_PER_TOKEN = 4;

export type PricedRequest = Countable & {
  readonly model: string;
  /** The body as it is forwarded. */
  readonly text: string;
  readonly price: Price | undefined;
  readonly factor: number;
  readonly usesServerTools: boolean;
  /**
   * The request names files or addresses whose content the provider adds. That content can differ at the next call,
   * so an earlier count is no bound.
   */
  readonly namesRemote: boolean;
  /**
   * Whether the request can carry an output limit. `never`: it cannot, so there must be room for the model's longest
   * answer. `on-a-plan`: it cannot, and output costs no money either.
   */
  readonly limits: 'in-request' | 'never' | 'on-a-plan';
};

/** The most that the call can cost, for budgets that cap it. */
export function worstCaseEstimate(
  call: PricedRequest,
  inputs: InputBounds,
  sizes: OutputEstimates,
): CallEstimate {
  const { wire, body, price, factor, usesServerTools, namesRemote } = call;
  const contextMax = findContextMax(call);
  const hasRemoteInput = usesServerTools || namesRemote;
  const inputTokens = hasRemoteInput ? contextMax : inputs.bound(call, contextMax);
  const namedMax = namedOutputMax(wire, body);
  const modelMax = price?.outputMax ?? OUTPUT_UNKNOWN_MAX;
  const requestedMax = Math.ceil(Math.min(namedMax ?? modelMax, modelMax));
  const outputTokens =
    call.limits === 'on-a-plan' ? sizes.expect(call.model, requestedMax) : requestedMax;
  const usefulMin = Math.max(OUTPUT_USEFUL_MIN, thinkingMin(wire, body));
  const outputTokensMin =
    call.limits === 'in-request' ? Math.min(outputTokens, usefulMin) : outputTokens;
  if (price === undefined) return { inputTokens, outputTokens, outputTokensMin, usd: null };
  // A video has sound too, and an address may point to either.
  const hasSound = wire === 'gemini' && (hasRemoteInput || unpacks(body));
  const rates = highestRates(inputTokens, requestedCache(call), price, hasSound);
  const tools = usesServerTools ? SERVER_TOOL_USES_MAX * SERVER_TOOL_USD : 0;
  return {
    inputTokens,
    outputTokens,
    outputTokensMin,
    usd: { input: inputTokens * rates.input * factor + tools, outputToken: rates.output * factor },
  };
}

/** The probable cost of the call, for the record only, if nothing is capped. */
export function expectedEstimate(call: PricedRequest, sizes: OutputEstimates): CallEstimate {
  const { price, factor, text } = call;
  const inputTokens = Math.ceil(text.length / CHARS_PER_TOKEN);
  const outputTokens = sizes.expect(call.model, namedOutputMax(call.wire, call.body));
  const rates = price === undefined ? null : highestRates(inputTokens, 'none', price);
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

function findContextMax({ price, wire }: PricedRequest): number {
  const known = price?.contextMax ?? CONTEXT_UNKNOWN_MAX;
  return wire === 'anthropic' ? Math.max(known, CONTEXT_ANTHROPIC_MAX) : known;
}

/**
 * Anthropic writes into a cache only on request; other providers do it on their own. Searching the text is safe,
 * because this gateway has serialized it.
 */
function requestedCache({ wire, text }: PricedRequest): CacheRequest {
  if (wire !== 'anthropic') return 'minutes';
  if (!text.includes('"cache_control"')) return 'none';
  return text.includes('"ttl":"1h"') ? 'hour' : 'minutes';
}
