import { InvalidArgumentError } from 'commander';

/** For options that count: anything else is a wrong use, told before the owner is asked. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a whole number.');
}
