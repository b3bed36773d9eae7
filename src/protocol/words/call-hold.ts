/** A model call that the gateway keeps back and sends again, because its provider has a limit or trouble. */
import { z } from 'zod';
import { formatDuration } from '../../base/format-duration.ts';
import { keepEnd } from '../../base/text.ts';

const HOLD_CAUSES = ['rate-limit', 'quota', 'overloaded', 'trouble', 'no-answer'] as const;

export const CallHold = z.strictObject({
  model: z.string(),
  cause: z.enum(HOLD_CAUSES),
  /** Null: no answer came. 200: the error came inside a stream. */
  status: z.number().nullable(),
  /** Milliseconds since 1970. */
  heldAt: z.number(),
  /** When the call is sent again. */
  until: z.number(),
  /** What the provider said. */
  message: z.string(),
});
export type CallHold = Readonly<z.infer<typeof CallHold>>;

const MESSAGE_CHARS_MAX = 160;

/** For what the call waits, and until when. Null: nothing is held. */
export function describeHeldCall(hold: CallHold | null, now: number): string | null {
  if (hold === null || hold.until <= now) return null;
  const { until, message } = hold;
  const time = `${new Date(until).toISOString()} (${formatDuration(until - now)} left)`;
  const said = message === '' ? '' : `: ${keepEnd(message, MESSAGE_CHARS_MAX)}`;
  return `a model call waits until ${time}, because ${causeWords(hold)}${said}`;
}

/** The same for a line that has room for a few words. */
export function shortHeldCall(hold: CallHold | null, now: number): string | null {
  if (hold === null || hold.until <= now) return null;
  const { cause, model } = hold;
  return `waits ${formatDuration(hold.until - now)}: ${SHORT_CAUSES[cause]} of ${model}`;
}

const SHORT_CAUSES: Readonly<Record<CallHold['cause'], string>> = {
  'rate-limit': 'rate limit',
  quota: 'usage limit',
  overloaded: 'overload',
  trouble: 'provider error',
  'no-answer': 'no answer',
};

function causeWords({ cause, model, status }: CallHold): string {
  const code = status === null || status < 400 ? '' : ` (HTTP ${status})`;
  switch (cause) {
    case 'rate-limit':
      return `${model} is at its rate limit${code}`;
    case 'quota':
      return `${model} is at its usage limit${code}`;
    case 'overloaded':
      return `${model} is overloaded${code}`;
    case 'trouble':
      return `the provider of ${model} has a problem${code}`;
    case 'no-answer':
      return `the provider of ${model} does not answer`;
  }
}
