/**
 * The messages from a gateway process to its owner. The gateway reads input of an agent, so the owner
 * accepts only messages that match this schema. `src/gateway/channel/messages.ts` does not compile if
 * a fact of the gateway and this schema differ.
 */
import { z } from 'zod';
import type { Instant } from '../base/clock.ts';
import { TOOL_ERRORS, TURN_BOUNDS } from './turn.ts';

const TEXT_MAX = 8000;
const ITEMS_MAX = 200;

const text = z.string().max(TEXT_MAX);
const number = z.number();
const amount = z.number().nonnegative();
const id = z.int().positive();
const instant = z.custom<Instant>((value) => Number.isFinite(value));

const CallAbout = z.strictObject({
  number: id,
  wire: z.enum(['anthropic', 'openai-responses', 'openai-chat', 'gemini']),
  kind: z.enum(['main', 'sub', 'side', 'compaction', 'count', 'probe']),
  conversation: text,
  model: text,
});

const Refusal = z.strictObject({
  cause: z.enum([
    'auth',
    'forbidden',
    'quota',
    'rate-limit',
    'overloaded',
    'server-error',
    'context-overflow',
    'model-not-found',
    'bad-request',
  ]),
  status: number,
  type: text,
  message: text,
  retryAt: instant.nullable(),
});

const Charge = z.strictObject({
  tokens: amount,
  usd: amount.nullable(),
  inputTokens: amount,
  outputTokens: amount,
});

const ReserveEstimate = z.strictObject({
  inputTokens: amount,
  outputTokens: amount,
  outputTokensMin: amount,
  usd: z.strictObject({ input: amount, outputToken: amount }).nullable(),
  uncounted: z.boolean().exactOptional(),
});

const Usage = z.strictObject({
  inputTokens: amount,
  cachedTokens: amount,
  cacheWriteTokens: amount,
  cacheWriteHourTokens: amount.exactOptional(),
  audioTokens: amount.exactOptional(),
  serverToolUses: amount.exactOptional(),
  tier: text.exactOptional(),
  outputTokens: amount,
});

const Window = z.strictObject({
  name: text,
  limit: number.nullable(),
  used: number.nullable(),
  remaining: number.nullable(),
  usedPercent: number,
  resetAt: instant.nullable(),
});

const { itemsMax, nameCharsMax, subjectCharsMax, errorCharsMax, textCharsMax, writesMax } =
  TURN_BOUNDS;
const name = z.string().max(nameCharsMax);
const subject = z.string().max(subjectCharsMax);
const callFields = { tool: name, signature: name, subject: subject.exactOptional() };

const TurnStep = z.strictObject({
  id: name,
  ...callFields,
  error: z.enum(TOOL_ERRORS).exactOptional(),
  errorText: z.string().max(errorCharsMax).exactOptional(),
  output: name.exactOptional(),
  writes: z.array(subject).max(writesMax).exactOptional(),
  waits: z.literal(true).exactOptional(),
  outside: z.literal(true).exactOptional(),
  starts: z.literal(true).exactOptional(),
  plan: z.strictObject({ done: amount, total: amount }).exactOptional(),
  endsItem: z.literal(true).exactOptional(),
  failing: amount.exactOptional(),
});

const Turn = z.strictObject({
  conversation: name,
  kind: z.enum(['main', 'sub']),
  number: id,
  model: name,
  steps: z.array(TurnStep).max(itemsMax),
  calls: z.array(z.strictObject(callFields)).max(itemsMax),
  text: z.string().max(textCharsMax),
  contextTokens: number.nullable(),
  contextTokensMax: number.nullable(),
  outputTokens: number.nullable(),
  stop: name.nullable(),
});

const Fact = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('call-begun'),
    at: instant,
    call: CallAbout,
    requestBytes: amount,
  }),
  z.strictObject({
    kind: z.literal('call-held'),
    at: instant,
    call: CallAbout,
    refusal: Refusal.nullable(),
    waitMs: amount,
  }),
  z.strictObject({
    kind: z.literal('call-ended'),
    at: instant,
    call: CallAbout,
    end: z.enum([
      'answered',
      'empty',
      'incomplete',
      'disconnected',
      'timed-out',
      'unreachable',
      'too-large',
      'over-budget',
    ]),
    status: number.nullable(),
    usage: Usage.nullable(),
    costUsd: amount.nullable(),
    ms: number,
    firstByteMs: number.nullable(),
    requestBytes: amount,
    responseBytes: amount,
    stop: z.enum(['end', 'tools', 'length', 'filter', 'unfinished']).nullable(),
    stopWord: text.nullable(),
    decisive: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('call-settled'),
    at: instant,
    call: CallAbout,
    cost: Charge.nullable(),
  }),
  z.strictObject({
    kind: z.literal('provider-refused'),
    at: instant,
    call: CallAbout,
    refusal: Refusal,
    ofIdentity: z.boolean(),
    decisive: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('usage-windows'),
    at: instant,
    wire: CallAbout.shape.wire,
    windows: z.array(Window).max(ITEMS_MAX),
    status: z.enum(['ok', 'quota-low', 'quota-exhausted']),
  }),
  z.strictObject({
    kind: z.literal('request-reduced'),
    at: instant,
    call: CallAbout,
    removed: z.array(text).max(ITEMS_MAX),
  }),
  z.strictObject({
    kind: z.literal('request-refused'),
    at: instant,
    call: CallAbout,
    code: text,
    message: text,
  }),
  z.strictObject({ kind: z.literal('turn'), at: instant, turn: Turn }),
  z.strictObject({
    kind: z.literal('message-seen'),
    at: instant,
    call: CallAbout,
    message: text,
    times: id,
  }),
  z.strictObject({
    kind: z.literal('budget-exhausted'),
    at: instant,
    call: CallAbout,
    scope: z.enum(['run', 'project', 'tree']),
    limit: z.enum(['tokens', 'usd', 'calls', 'wall']),
    because: z.enum(['spent', 'price-unknown']),
    spent: z.strictObject({ tokens: number, usd: number, calls: number }),
    needs: number.exactOptional(),
    message: text,
  }),
  z.strictObject({
    kind: z.literal('unexpected-request'),
    at: instant,
    why: z.enum([
      'no-such-path',
      'no-token',
      'no-upstream',
      'no-tunnel',
      'too-large',
      'unknown-encoding',
      'not-json',
    ]),
    what: text,
    count: id,
  }),
]);

const TunnelFact = z.strictObject({
  kind: z.enum(['tunnel-opened', 'tunnel-refused']),
  target: text,
});

export const FromGateway = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('listening') }),
  z.strictObject({ kind: z.literal('not-listening'), message: text }),
  z.strictObject({ kind: z.literal('pong'), nonce: id }),
  z.strictObject({ kind: z.literal('ask-turn'), id }),
  z.strictObject({ kind: z.literal('ask-slot'), id }),
  z.strictObject({ kind: z.literal('return-slot'), id }),
  z.strictObject({ kind: z.literal('reserve'), id, call: id, estimate: ReserveEstimate }),
  z.strictObject({ kind: z.literal('settle'), id, cost: Charge.nullable() }),
  z.strictObject({ kind: z.literal('cancel'), id }),
  z.strictObject({ kind: z.literal('fact'), fact: Fact }),
  z.strictObject({ kind: z.literal('tunnel'), fact: TunnelFact }),
  z.strictObject({
    kind: z.literal('closed'),
    recorded: z
      .strictObject({ written: amount, leftOut: amount, failure: text.optional() })
      .nullable(),
    defect: text.nullable(),
  }),
]);
export type FromGateway = z.infer<typeof FromGateway>;
