/**
 * Cuts a fact to the size that the owner accepts. Models and agents choose the lengths of names, texts and arguments
 * in it. The gateway's own process cuts them, so that the owner reads only short frames.
 */
import type { Json } from '../../base/json.ts';
import { isRecord } from '../../base/json.ts';
import type { GatewayFact } from '../gateway-facts.ts';

const TEXT_CHARS_MAX = 2000;
const ITEMS_MAX = 20;
/** The limits for values that one turn may have many of: names, arguments and errors. */
const [NAME_CHARS_MAX, ARGS_CHARS_MAX, ERROR_CHARS_MAX] = [200, 600, 500];

export function fitFact(fact: GatewayFact): GatewayFact {
  if (fact.kind !== 'turn') return clip(fact) as GatewayFact;
  const { turn } = fact;
  const calls = turn.calls.slice(0, ITEMS_MAX).map(({ name, args }) => ({
    name: name.slice(0, NAME_CHARS_MAX),
    args: fitArgs(args),
  }));
  const errors = turn.errors.slice(0, ITEMS_MAX).map(({ tool, text }) => ({
    tool: tool.slice(0, NAME_CHARS_MAX),
    text: text.slice(0, ERROR_CHARS_MAX),
  }));
  const rest = clip({ ...turn, calls: [], errors: [] }) as typeof turn;
  return { ...fact, turn: { ...rest, calls, errors } };
}

/** Long arguments are replaced by the beginning of their JSON. */
function fitArgs(args: Json): Json {
  const written = JSON.stringify(args);
  return written.length <= ARGS_CHARS_MAX ? args : written.slice(0, ARGS_CHARS_MAX);
}

function clip(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, TEXT_CHARS_MAX);
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map(clip);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, clip(item)]));
}
