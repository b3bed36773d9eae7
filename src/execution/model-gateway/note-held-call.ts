/** Notes which model calls the gateway keeps back, so that screens say why an agent is silent. */
import type { GatewayFact } from '../../gateway/gateway-facts.ts';
import type { AttemptNote } from '../../protocol/contracts/attempt-contract.ts';
import type { CallHold } from '../../protocol/words/call-hold.ts';

/** A shorter wait is over before a person has read about it. */
const NOTED_MS_MIN = 1500;
/** Bounds what an agent whose every call is held writes to the journal. */
const NOTES_MAX = 500;
const MODEL_CHARS_MAX = 100;

type HeldFact = Extract<GatewayFact, { kind: 'call-held' }>;

export class HeldCalls {
  #notes = 0;

  /** `clean` removes secrets. Undefined: the wait is not worth a note. */
  note(fact: HeldFact, clean: (text: string) => string): AttemptNote | undefined {
    if (fact.waitMs < NOTED_MS_MIN || this.#notes >= NOTES_MAX) return undefined;
    this.#notes += 1;
    const { call, refusal, waitMs, at } = fact;
    return {
      kind: 'call-held',
      model: clean(call.model).slice(0, MODEL_CHARS_MAX),
      cause: causeOf(refusal),
      status: refusal?.status ?? null,
      heldAt: at,
      until: at + waitMs,
      message: clean(refusal?.message ?? ''),
    };
  }
}

function causeOf(refusal: HeldFact['refusal']): CallHold['cause'] {
  if (refusal === null) return 'no-answer';
  const { cause } = refusal;
  return cause === 'rate-limit' || cause === 'quota' || cause === 'overloaded' ? cause : 'trouble';
}
