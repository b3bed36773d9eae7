/**
 * The leaves that files written by people are made of. Each leaf's error is the words that follow
 * "expected", so that a refusal reads as one sentence.
 */
import { z } from 'zod';

export const KEYS = { error: 'keys with values' };

export function whole(
  min: number,
  max: number,
  error = `a whole number from ${min} to ${max}`,
): z.ZodInt {
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** A NUL can't be passed to a process, so no text may hold one. */
export function text(min: number, max: number, error: string): z.ZodString {
  return z
    .string({ error })
    .min(min, { error })
    .max(max, { error })
    .regex(/^[^\0]*$/, { error });
}

export function matching(pattern: RegExp, error: string): z.ZodString {
  return z.string({ error }).regex(pattern, { error });
}
