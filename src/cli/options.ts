/** Options that several commands share, and parsers for option values. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';

export type KeyOption = { readonly idempotencyKey?: string };

/** For scripts that repeat a command when they don't know whether it was accepted. */
export function withKeyOption(command: Command): Command {
  return command.option(
    '--idempotency-key <key>',
    'if the command is sent again with the same key, it still takes effect only once',
  );
}

/** For options that count. Any other value is refused before the owner is contacted. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number, such as 20.');
}

/** For an option that may be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** An amount of US dollars, such as 2.50. */
export function usd(text: string): number {
  const amount = Number(text);
  if (text.trim() !== '' && amount >= 0.01 && amount <= 1_000_000) return amount;
  throw new InvalidArgumentError('Use an amount in US dollars from 0.01 to 1000000.');
}
