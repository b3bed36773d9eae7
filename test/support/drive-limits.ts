/**
 * Drives a pool of limits: which holder asks for which keys, which holder ends, and which is
 * admitted.
 */
import { at } from '../../src/base/clock.ts';
import type { Limit, LimitRequest } from '../../src/engine/limits.ts';
import { limitKey, LimitPool } from '../../src/engine/limits.ts';

/** Two keys with a limit of one each. */
export const ONE_EACH: readonly Limit[] = [
  { key: 'x', concurrencyMax: 1 },
  { key: 'y', concurrencyMax: 1 },
];

/** Keys with a space between them; `x=2`: up to two of x for this one. */
export type LimitStep =
  | readonly ['ask', string, string]
  | readonly ['end' | 'forget', string]
  | ['at', number];

/** Admitted holders in order, and those that still wait. */
export function driveLimits(limits: readonly Limit[], steps: readonly LimitStep[]): string {
  const pool = new LimitPool(limits);
  const toRequests = new Map<string, readonly LimitRequest[]>();
  const limitKeys = (holder: string): readonly string[] =>
    (toRequests.get(holder) ?? []).map(limitKey);
  const started: string[] = [];
  let now = at(0);
  const ask = (holder: string): void => {
    if (!pool.admit(holder, toRequests.get(holder) ?? [], now)) return;
    pool.started(limitKeys(holder), now);
    started.push(holder);
  };
  for (const step of steps) {
    switch (step[0]) {
      case 'ask':
        toRequests.set(step[1], step[2] === '' ? [] : step[2].split(' ').map(toRequest));
        ask(step[1]);
        break;
      case 'end':
        pool.ended(limitKeys(step[1]));
        break;
      case 'forget':
        pool.forget(step[1]);
        break;
      case 'at':
        now = at(step[1]);
    }
  }
  for (let ready = pool.ready(now); ready.length > 0; ready = pool.ready(now)) ready.map(ask);
  return `${started.join(' ')} | ${pool.waiting().join(' ')}`.trim();
}

function toRequest(text: string): LimitRequest {
  const [key = '', max] = text.split('=');
  return max === undefined ? key : { key, max: Number(max) };
}
