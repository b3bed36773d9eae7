/** Plays a book of limits: who asks for what, who ends, and who is let in. */
import { at } from '../base/clock.ts';
import type { Limit, LimitWish } from '../engine/limits.ts';
import { keyOf, LimitBook } from '../engine/limits.ts';

/** Two keys of which there is one each. */
export const ONE_EACH: readonly Limit[] = [
  { key: 'x', concurrencyMax: 1 },
  { key: 'y', concurrencyMax: 1 },
];

/** Keys with a space between them; `x=2`: up to two of x for this one. */
export type Step =
  | readonly ['ask', string, string]
  | readonly ['end' | 'forget', string]
  | ['at', number];

/** Who was let in, in order, and who is left in the line. */
export function playLimits(limits: readonly Limit[], steps: readonly Step[]): string {
  const book = new LimitBook(limits);
  const wishesOf = new Map<string, readonly LimitWish[]>();
  const keysOf = (who: string): readonly string[] => (wishesOf.get(who) ?? []).map(keyOf);
  const started: string[] = [];
  let now = at(0);
  const ask = (who: string): void => {
    if (!book.admit(who, wishesOf.get(who) ?? [], now)) return;
    book.started(keysOf(who), now);
    started.push(who);
  };
  for (const step of steps) {
    switch (step[0]) {
      case 'ask':
        wishesOf.set(step[1], step[2] === '' ? [] : step[2].split(' ').map(wishOf));
        ask(step[1]);
        break;
      case 'end':
        book.ended(keysOf(step[1]));
        break;
      case 'forget':
        book.forget(step[1]);
        break;
      case 'at':
        now = at(step[1]);
    }
  }
  for (let ready = book.ready(now); ready.length > 0; ready = book.ready(now)) ready.map(ask);
  return `${started.join(' ')} | ${book.waiting().join(' ')}`.trim();
}

function wishOf(text: string): LimitWish {
  const [key = '', max] = text.split('=');
  return max === undefined ? key : { key, max: Number(max) };
}
