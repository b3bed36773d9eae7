/**
 * A transport that does not give up a command when the owner dies. A call with a key may be sent again
 * to the next owner, which answers from the record if the command was carried out already.
 */
import type { Clock } from '../base/clock.ts';
import { Refusal, isRefusal } from '../base/errors.ts';
import type { Call, Transport } from './transport.ts';

export type PersistentPorts = {
  readonly clock: Clock;
  /** Resolves when an owner is up, which may be another one. */
  readonly again: () => Promise<unknown>;
};

const TRIES_MAX = 5;
const PAUSE_MS = 100;

/** Nothing has heard the call when it ends like this. */
const UNHEARD = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'ECONNREFUSED']);

export function persistentTransport(
  transport: Transport,
  { clock, again }: PersistentPorts,
): Transport {
  return async (path, call) => {
    const { key } = call;
    if (key === undefined) return transport(path, call);
    let wasHeard = false;
    for (let tries = 1; ; tries += 1) {
      const answer = await whole(transport, path, call);
      if (answer.kind === 'answer') {
        // It is ending, or a part of it is being replaced: the command may be durable all the same.
        if (answer.response.status !== 503 || tries === TRIES_MAX) return answer.response;
      } else wasHeard ||= answer.wasHeard;
      try {
        if (tries === TRIES_MAX) throw answer.kind === 'lost' ? answer.error : undefined;
        if (tries > 1) await clock.sleep(PAUSE_MS * tries);
        await again();
      } catch (error) {
        if (answer.kind === 'answer') return answer.response;
        throw wasHeard ? outcomeUnknown(key, error) : error;
      }
    }
  };
}

type Answer =
  | { readonly kind: 'answer'; readonly response: Response }
  | { readonly kind: 'lost'; readonly error: unknown; readonly wasHeard: boolean };

/** All of the answer: one that is cut in the middle says nothing. */
async function whole(transport: Transport, path: string, call: Call): Promise<Answer> {
  let response: Response;
  try {
    response = await transport(path, call);
  } catch (error) {
    if (!isRefusal(error, 'owner.unreachable')) throw error;
    const cause = error.cause as NodeJS.ErrnoException | undefined;
    return { kind: 'lost', error, wasHeard: !UNHEARD.has(cause?.code ?? '') };
  }
  try {
    const { status } = response;
    return { kind: 'answer', response: new Response(await response.text(), { status }) };
  } catch (error) {
    return { kind: 'lost', error, wasHeard: true };
  }
}

function outcomeUnknown(key: string, cause: unknown): Refusal {
  return new Refusal(
    {
      code: 'request.outcome-unknown',
      message:
        'The owner was lost before it answered, and no owner can be reached: it is unknown whether the command was accepted.',
      hint: `Send the same command again with --idempotency-key ${key}: it is carried out at most once.`,
      details: { key },
    },
    { cause },
  );
}
