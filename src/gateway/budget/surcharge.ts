/** Settings of a request that multiply its price: a faster tier, fast mode, a region. */
import type { Price } from '../../prices/price.ts';
import { recordField, textField } from '../wires/json-shape.ts';
import type { WireName } from '../wires/wire.ts';

type Body = Readonly<Record<string, unknown>>;

/** If the price list names no factor, the highest factor that a provider charges applies. */
const PRIORITY = 2.5;
const FAST = 6;
const FLEX = 0.5;
const REGION = 1.1;

const TIERS: Readonly<Record<WireName, Readonly<Record<string, 'standard' | 'priority'>>>> = {
  anthropic: { '': 'standard', auto: 'standard', standard_only: 'standard' },
  'openai-responses': openaiTiers(),
  'openai-chat': openaiTiers(),
  gemini: {
    '': 'standard',
    unspecified: 'standard',
    service_tier_unspecified: 'standard',
    standard: 'standard',
    flex: 'standard', // cheaper, but charged in full until the answer confirms the tier
    priority: 'priority',
  },
};

function openaiTiers(): Readonly<Record<string, 'standard' | 'priority'>> {
  return {
    '': 'standard',
    auto: 'standard',
    default: 'standard',
    flex: 'standard',
    priority: 'priority',
    fast: 'priority',
  };
}

export type Surcharge =
  | { readonly kind: 'known'; readonly factor: number }
  /** A field whose value has no known price. */
  | { readonly kind: 'unknown'; readonly field: string; readonly value: string };

/** The highest factor that may apply to every rate of the call. */
export function requestSurcharge(wire: WireName, body: Body, price: Price | undefined): Surcharge {
  const field = wire === 'gemini' ? 'serviceTier' : 'service_tier';
  const requested = normalizeField(body[field]);
  const tier = Object.hasOwn(TIERS[wire], requested) ? TIERS[wire][requested] : undefined;
  if (tier === undefined) return { kind: 'unknown', field, value: requested };
  const factor = tier === 'priority' ? (price?.priority ?? PRIORITY) : 1;
  if (wire !== 'anthropic') return { kind: 'known', factor };
  const speed = normalizeField(body['speed']);
  if (!['', 'standard', 'fast'].includes(speed))
    return { kind: 'unknown', field: 'speed', value: speed };
  const region = normalizeField(body['inference_geo']);
  const isPlain = ['', 'global', 'not_available'].includes(region);
  const bySpeed = speed === 'fast' ? (price?.fast ?? FAST) : 1;
  return { kind: 'known', factor: bySpeed * (isPlain ? 1 : REGION) };
}

/** The factor that was charged. The answer's own statement overrides the requested tier. */
export function paidFactor(
  wire: WireName,
  requested: number,
  answered: string | undefined,
  price: Price | undefined,
): number {
  if (wire === 'anthropic' || answered === undefined) return requested;
  switch (answered.toLowerCase()) {
    case 'flex':
      return FLEX;
    case 'default':
    case 'standard':
      return 1;
    case 'priority':
      return price?.priority ?? PRIORITY;
    default:
      return Math.max(1, requested);
  }
}

/** A value that is neither a text nor missing becomes a string that no list contains. */
function normalizeField(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value.toLowerCase() : JSON.stringify(value);
}

/** The service tier that an answer of any wire reports, if it does. */
export function readServiceTier(body: unknown): string | undefined {
  const { service_tier: tier, serviceTier } = recordField(body);
  return textField(tier) || textField(serviceTier) || undefined;
}
