/**
 * Cuts a fact to the size that the owner accepts. Models and agents choose the lengths of names and texts in it. The
 * gateway's own process cuts them, so that the owner reads only short frames.
 */
import { isRecord } from '../../base/json.ts';
import type { GatewayFact } from '../gateway-facts.ts';

const TEXT_CHARS_MAX = 2000;
const ITEMS_MAX = 20;

export function fitFact(fact: GatewayFact): GatewayFact {
  return clip(fact) as GatewayFact;
}

function clip(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, TEXT_CHARS_MAX);
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map(clip);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, clip(item)]));
}
