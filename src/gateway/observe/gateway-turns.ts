import { createHash } from 'node:crypto';
import type { TurnRecord } from '../../protocol/turn.ts';
import { TURN_BOUNDS } from '../../protocol/turn.ts';
import { boundedLine } from '../../turns/bounded-text.ts';
import { turnCall } from '../../turns/turn-step.ts';
import type { CallAbout } from '../gateway-facts.ts';
import type { ModelAnswer, ModelRequest, MessageUnit } from '../wires/wire.ts';
import type { KnownResults } from './new-steps.ts';
import { knownResults, newSteps } from './new-steps.ts';

const CONVERSATIONS_MAX = 2000;
const { itemsMax, nameCharsMax, textCharsMax } = TURN_BOUNDS;

type Known = {
  readonly mark: string;
  readonly number: number;
  /** The results that its conversation had before this turn, and with it. Null: it is the first turn. */
  readonly resultsBefore: KnownResults | null;
  readonly results: KnownResults;
};

/**
 * Makes the record of each turn. A request whose conversation equals the previous one is a retry of the same turn,
 * whatever else differs.
 */
export class TurnTracker {
  readonly #known = new Map<string, Known>();

  take(
    about: CallAbout & { readonly kind: TurnRecord['kind'] },
    { units }: Pick<ModelRequest, 'units'>,
    answer: ModelAnswer,
    contextTokensMax: number | null,
  ): TurnRecord {
    const { number, resultsBefore } = this.#place(about.conversation, units);
    return {
      conversation: about.conversation.slice(0, nameCharsMax),
      kind: about.kind,
      number,
      model: about.model.slice(0, nameCharsMax),
      steps: newSteps(units, resultsBefore),
      calls: answer.calls
        .slice(0, itemsMax)
        .map(({ name, args }) => turnCall({ tool: name, input: args })),
      text: boundedLine(answer.text, textCharsMax),
      contextTokens: answer.usage?.inputTokens ?? null,
      contextTokensMax,
      outputTokens: answer.usage?.outputTokens ?? null,
      stop: answer.stop?.slice(0, nameCharsMax) ?? null,
    };
  }

  #place(conversation: string, units: readonly MessageUnit[]): Known {
    const mark = conversationMark(units);
    const last = this.#known.get(conversation);
    const isRetry = last?.mark === mark;
    const next: Known = isRetry
      ? last
      : {
          mark,
          number: (last?.number ?? 0) + 1,
          resultsBefore: last?.results ?? null,
          results: knownResults(units),
        };
    this.#known.delete(conversation); // re-inserted, so that the first entry is the least recently used
    this.#known.set(conversation, next);
    const [oldest] = this.#known.keys();
    if (this.#known.size > CONVERSATIONS_MAX && oldest !== undefined) this.#known.delete(oldest);
    return next;
  }
}

const TAIL_UNITS = 4;
const TAIL_CHARS_MAX = 4000;

/**
 * Identifies the conversation so far, by its length and its end. Hashing all of it would take 20 ms for 3 MB, in which
 * the agent's next call waits.
 */
function conversationMark(units: readonly MessageUnit[]): string {
  const chars = units.reduce((sum, unit) => sum + (unit.kind === 'call' ? 1 : unit.text.length), 0);
  const hash = createHash('sha256').update(`${units.length} ${chars}`);
  for (const unit of units.slice(-TAIL_UNITS))
    hash
      .update(`${unit.kind} ${'id' in unit ? unit.id : ''} `)
      .update(unit.kind === 'call' ? unit.name : unit.text.slice(-TAIL_CHARS_MAX));
  return hash.digest('base64');
}
