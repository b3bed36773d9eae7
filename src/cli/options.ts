/** Options that several commands share, and parsers for option values. */
import { InvalidArgumentError } from 'commander';
import { parseDurationMs } from '../settings/quantity.ts';

export type KeyOption = { readonly idempotencyKey?: string };

/** For scripts that repeat a command when they don't know whether it was accepted. */
export const KEY_OPTION = [
  '--idempotency-key <key>',
  'if the command is sent again with the same key, it still takes effect only once',
] as const;

/** For options that count. Any other value is refused before the owner is contacted. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number, such as 20.');
}

/** Parses a whole number from 1 to `max`. */
function countUpTo(max: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (count >= 1 && count <= max) return count;
    throw new InvalidArgumentError(`Use a whole number from 1 to ${max}, such as 20.`);
  };
}

/** For options that limit a list. A request returns no longer list. */
export const listLimit = countUpTo(10_000);
/** For how often something is repeated. */
export const times = countUpTo(100);
/** For a budget in tokens, with the bound of the setting `budget.tokens`. */
export const tokens = countUpTo(1_000_000_000_000);

/** For an option that may be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** An amount of US dollars, such as 2.50. */
export function usd(text: string): number {
  const amount = /^\d{1,7}(\.\d{1,9})?$|^\.\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (amount >= 0.01 && amount <= 1_000_000) return amount;
  throw new InvalidArgumentError('Use an amount in US dollars from 0.01 to 1000000, such as 2.50.');
}

/** A duration such as 30m, or whole seconds, in milliseconds. Zero would be no wait at all. */
export function timeLimit(text: string): number {
  const ms = parseDurationMs(/^\d{1,9}$/.test(text) ? Number(text) : text) ?? 0;
  if (ms >= 1) return ms;
  throw new InvalidArgumentError('Use a duration such as 90s, 30m or 2h.');
}

const DAY_MS = 86_400_000;

/** A duration such as 30m, with the bounds of the setting `attempt.deadline`. */
export function deadline(text: string): string {
  durationUpTo(30, text);
  return text;
}

/** In milliseconds. A person who types 5 may mean minutes, and each attempt would be lost after five seconds. */
export function durationUpTo(days: number, text: string): number {
  const ms = parseDurationMs(text) ?? 0;
  if (ms >= 1000 && ms <= days * DAY_MS) return ms;
  const [number] = /^[1-9]\d{0,8}$/.exec(text) ?? [];
  throw new InvalidArgumentError(
    number === undefined
      ? `Use a duration from 1s to ${days}d, such as 90s, 30m or 2h.`
      : `Name the unit: ${number}s, ${number}m or ${number}h.`,
  );
}

/** How far to look back, in milliseconds. */
export function timeBack(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined) throw new InvalidArgumentError('Use a duration such as 12h or 3d.');
  return ms;
}
