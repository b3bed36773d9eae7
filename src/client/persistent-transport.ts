/**
 * A transport that repeats a command when the owner dies. A call with a key can be sent again to the next
 * owner. If the command already took effect, that owner answers from the journal.
 */
import type { Clock } from '../base/clock.ts';
import { Refusal, isRefusal } from '../base/errors.ts';
import type { RefusalCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { ErrorBody } from '../protocol/api.ts';
import type { OwnerAnswer, TransportCall, Transport } from './transport.ts';
import { wholeAnswer } from './transport.ts';

export type PersistentPorts = {
  readonly clock: Clock;
  /** Resolves when an owner is running, which may be a new one. */
  readonly again: () => Promise<unknown>;
};

/** How often a command is sent before the last refusal counts as its answer. */
export const TRIES_MAX = 5;
const PAUSE_MS = 100;

/** With these errors no owner received the call. */
const NOT_RECEIVED = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'ECONNREFUSED']);

/**
 * The owner is ending, or one of its components is being restarted, so the command may have taken effect. Any
 * other refusal is the answer to the command, and the next owner would only repeat it.
 */
export const OWNER_GOES: ReadonlySet<string> = new Set<RefusalCode>([
  'owner.closing',
  'owner.home-lost',
  'owner.superseded',
  'owner.unreachable',
  'request.outcome-unknown',
  'store.closed',
]);

export function persistentTransport(
  transport: Transport,
  { clock, again }: PersistentPorts,
): Transport {
  return async (path, call) => {
    const { key } = call;
    if (key === undefined) return transport(path, call);
    let wasReceived = false;
    for (let tries = 1; ; tries += 1) {
      const answer = await readAnswer(transport, path, call);
      if (answer.kind === 'answer') {
        if (!OWNER_GOES.has(answer.refused ?? '') || tries === TRIES_MAX) return answer.response;
      } else wasReceived ||= answer.wasReceived;
      try {
        if (tries === TRIES_MAX) throw answer.kind === 'interrupted' ? answer.error : undefined;
        if (tries > 1) await clock.sleep(PAUSE_MS * tries);
        await again();
      } catch (error) {
        if (answer.kind === 'answer') return answer.response;
        throw wasReceived ? outcomeUnknown(key, error) : error;
      }
    }
  };
}

type Answer =
  | {
      readonly kind: 'answer';
      readonly response: OwnerAnswer;
      /** The code of the refusal, if it is one. */
      readonly refused: string | undefined;
    }
  | { readonly kind: 'interrupted'; readonly error: unknown; readonly wasReceived: boolean };

/** Reads the whole answer, because an answer that is cut in the middle is no answer. */
async function readAnswer(
  transport: Transport,
  path: string,
  call: TransportCall,
): Promise<Answer> {
  let response: OwnerAnswer;
  try {
    response = await transport(path, call);
  } catch (error) {
    if (!isRefusal(error, 'owner.unreachable')) throw error;
    const cause = error.cause as NodeJS.ErrnoException | undefined;
    return { kind: 'interrupted', error, wasReceived: !NOT_RECEIVED.has(cause?.code ?? '') };
  }
  try {
    const { status, ok } = response;
    const text = await response.text();
    const refusal = ok ? undefined : ErrorBody.safeParse(parseJson(text)).data;
    const refused = refusal?.error.code;
    return { kind: 'answer', response: wholeAnswer(text, status), refused };
  } catch (error) {
    return { kind: 'interrupted', error, wasReceived: true };
  }
}

function outcomeUnknown(key: string, cause: unknown): Refusal {
  return new Refusal(
    {
      code: 'request.outcome-unknown',
      message:
        'The owner died before it answered, and no new owner could be started. It is unknown whether the command took effect.',
      hint: `Repeat the command with --idempotency-key ${key}. It takes effect at most once.`,
      details: { key },
    },
    { cause },
  );
}
