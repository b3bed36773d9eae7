/** The stored form of approvers. */
import { z } from 'zod';
import { at } from '../base/clock.ts';

export const ApproverName = z.string().regex(/^[a-z][a-z0-9_.-]{0,63}$/);

export const GROUPS_MAX = 20;

const ApproverEntry = z.strictObject({
  name: ApproverName,
  groups: z.array(ApproverName).max(GROUPS_MAX),
  /** In base64, like the next one. */
  salt: z.string(),
  /** Of the secret, by scrypt. */
  hash: z.string(),
  addedAt: z.number().transform(at),
});
export type Approver = z.infer<typeof ApproverEntry>;

export const ApproverFile = z.strictObject({
  version: z.literal(1),
  approvers: z.array(ApproverEntry).max(1000),
});

/** Wrong secrets of one approver in a row, and when the last one was given. */
const GuessEntry = z.strictObject({
  wrong: z.int().positive(),
  lastAt: z.number(),
});
export type Guesses = z.infer<typeof GuessEntry>;

export const GuessFile = z.strictObject({
  version: z.literal(1),
  guesses: z.record(ApproverName, GuessEntry),
});
