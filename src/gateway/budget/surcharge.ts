/** What a request asks for that multiplies its price: a faster tier, fast mode, a region. */
import type { Price } from './prices.ts';
import { recordField, textField } from '../wires/json-shape.ts';
import type { WireName } from '../wires/wire.ts';

type Body = Readonly<Record<string, unknown>>;

/** Where the price list names no factor, the highest that a provider asks for. */
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
    flex: 'standard', // cheaper, but charged in full until the answer says so
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
  /** The field whose value has no known price. */
  | { readonly kind: 'unknown'; readonly field: string; readonly value: string };

/** The most that every rate of the call may be multiplied by. */
export function requestSurcharge(wire: WireName, body: Body, price: Price | undefined): Surcharge {
  const field = wire === 'gemini' ? 'serviceTier' : 'service_tier';
  const asked = wordOf(body[field]);
  const tier = Object.hasOwn(TIERS[wire], asked) ? TIERS[wire][asked] : undefined;
  if (tier === undefined) return { kind: 'unknown', field, value: asked };
  const factor = tier === 'priority' ? (price?.priority ?? PRIORITY) : 1;
  if (wire !== 'anthropic') return { kind: 'known', factor };
  const speed = wordOf(body['speed']);
  if (!['', 'standard', 'fast'].includes(speed))
    return { kind: 'unknown', field: 'speed', value: speed };
  const place = wordOf(body['inference_geo']);
  const isPlain = ['', 'global', 'not_available'].includes(place);
  const bySpeed = speed === 'fast' ? (price?.fast ?? FAST) : 1;
  return { kind: 'known', factor: bySpeed * (isPlain ? 1 : REGION) };
}

/** The factor that was paid: what the answer says goes before what was asked for. */
export function paidFactor(
  wire: WireName,
  asked: number,
  answered: string | undefined,
  price: Price | undefined,
): number {
  if (wire === 'anthropic' || answered === undefined) return asked;
  switch (answered.toLowerCase()) {
    case 'flex':
      return FLEX;
    case 'default':
    case 'standard':
      return 1;
    case 'priority':
      return price?.priority ?? PRIORITY;
    default:
      return Math.max(1, asked);
  }
}

/** Anything but a text or nothing is a word that no list holds. */
function wordOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value.toLowerCase() : JSON.stringify(value);
}

/** The tier that an answer of any wire reports, where it does. */
export function readServiceTier(body: unknown): string | undefined {
  const { service_tier: tier, serviceTier } = recordField(body);
  return textField(tier) || textField(serviceTier) || undefined;
}
