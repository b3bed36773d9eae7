/**
 * A transport that does not give up a command when the owner dies. A call with a key may be sent again
 * to the next owner, which answers from the record if the command was carried out already.
 */
import type { Clock } from '../base/clock.ts';
import { Refusal, isRefusal } from '../base/errors.ts';
import type { RefusalCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { ErrorBody } from '../protocol/api.ts';
import type { TransportCall, Transport } from './transport.ts';

export type PersistentPorts = {
  readonly clock: Clock;
  /** Resolves when an owner is up, which may be another one. */
  readonly again: () => Promise<unknown>;
};

/** How often a command is sent before the last refusal counts as its answer. */
export const TRIES_MAX = 5;
const PAUSE_MS = 100;

/** Nothing has heard the call when it ends like this. */
const UNHEARD = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'ECONNREFUSED']);

/**
 * The owner is ending, or a part of it is being replaced: the command may be durable all the same. Any
 * other refusal is the answer to the command, and the next owner would only repeat it.
 */
export const OWNER_GOES: ReadonlySet<string> = new Set<RefusalCode>([
  'owner.closing',
  'owner.home-lost',
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
    let wasHeard = false;
    for (let tries = 1; ; tries += 1) {
      const answer = await whole(transport, path, call);
      if (answer.kind === 'answer') {
        if (!OWNER_GOES.has(answer.refused ?? '') || tries === TRIES_MAX) return answer.response;
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
  | {
      readonly kind: 'answer';
      readonly response: Response;
      /** The code of the refusal, if it is one. */
      readonly refused: string | undefined;
    }
  | { readonly kind: 'lost'; readonly error: unknown; readonly wasHeard: boolean };

/** All of the answer: one that is cut in the middle says nothing. */
async function whole(transport: Transport, path: string, call: TransportCall): Promise<Answer> {
  let response: Response;
  try {
    response = await transport(path, call);
  } catch (error) {
    if (!isRefusal(error, 'owner.unreachable')) throw error;
    const cause = error.cause as NodeJS.ErrnoException | undefined;
    return { kind: 'lost', error, wasHeard: !UNHEARD.has(cause?.code ?? '') };
  }
  try {
    const { status, ok } = response;
    const text = await response.text();
    const refusal = ok ? undefined : ErrorBody.safeParse(parseJson(text)).data;
    const refused = refusal?.error.code;
    return { kind: 'answer', response: new Response(text, { status }), refused };
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
