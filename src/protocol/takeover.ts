/** A person's terminal at the agent of a run: what the command sends, and what the owner streams back. */
import { z } from 'zod';

const SIDE_MAX = 1000;
const INPUT_CHARS_MAX = 200_000;

const side = z.coerce.number().int().min(1).max(SIDE_MAX);

export const TerminalSize = z.strictObject({ rows: side, columns: side });
export type TerminalSize = z.infer<typeof TerminalSize>;

/** The terminal that the agent will see, and whether its program or a shell is wanted. */
export const TakeoverQuery = TerminalSize.extend({
  /** The kind of the terminal, as in TERM. */
  term: z.string().regex(/^[\w.+-]{1,60}$/, 'must be the name of a terminal, such as xterm'),
  shell: z.stringbool().default(false),
  /** The run was submitted for this terminal, so it waits for it. */
  joins: z.stringbool().default(false),
});
export type TakeoverQuery = z.infer<typeof TakeoverQuery>;

/** What the person typed, in base64; the new size of their window; or that they leave. */
export const TakeoverInput = z.union([
  z.strictObject({ data: z.base64().max(INPUT_CHARS_MAX) }),
  TerminalSize,
  z.strictObject({ leave: z.literal(true) }),
]);
export type TakeoverInput = z.infer<typeof TakeoverInput>;

export const TAKEOVER_ENDS = [
  ...(['program-ended', 'left', 'lost', 'no-terminal', 'stopped'] as const),
  ...(['out-of-memory', 'disk-limit'] as const),
] as const;

export const TakeoverItem = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('begun'),
    agent: z.string(),
    attempt: z.int(),
    /** What runs in the terminal. */
    program: z.enum(['conversation', 'new-conversation', 'shell']),
    /** Why it is a shell although the person wanted the agent. Null: it is what they wanted. */
    instead: z.string().nullable(),
  }),
  /** What the program writes, in base64. */
  z.strictObject({ kind: z.literal('output'), data: z.string() }),
  z.strictObject({
    kind: z.literal('ended'),
    how: z.enum(TAKEOVER_ENDS),
    exit: z.int().nullable(),
    /** Why it could not start. Null: it did. */
    failure: z.string().nullable(),
  }),
]);
export type TakeoverItem = z.infer<typeof TakeoverItem>;
export type TakeoverEnd = Extract<TakeoverItem, { kind: 'ended' }>;
