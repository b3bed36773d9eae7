import { createHash } from 'node:crypto';
import type { CallAbout, ResultError, GatewayTurn } from '../gateway-facts.ts';
import type { ModelAnswer, ModelRequest, MessageUnit } from '../wires/wire.ts';

const CONVERSATIONS_MAX = 2000;
const ERROR_CHARS_MAX = 500;
const TEXT_CHARS_MAX = 2000;

type Known = { readonly prefix: string; readonly number: number };

/**
 * Counts the turns of each conversation. A request whose conversation equals the previous one, byte for byte, is a
 * retry of the same turn, whatever else differs.
 */
export class TurnTracker {
  readonly #known = new Map<string, Known>();

  take(
    about: CallAbout & { readonly kind: GatewayTurn['kind'] },
    prefix: string,
    request: Pick<ModelRequest, 'units'>,
    answer: ModelAnswer,
    contextTokensMax: number | null,
  ): GatewayTurn {
    return {
      conversation: about.conversation,
      kind: about.kind,
      number: this.#number(about.conversation, prefix),
      model: about.model,
      calls: answer.calls,
      errors: errorsSince(request.units),
      text: answer.text.slice(0, TEXT_CHARS_MAX),
      contextTokens: answer.usage?.inputTokens ?? null,
      contextTokensMax,
      outputTokens: answer.usage?.outputTokens ?? null,
      stop: answer.stop,
    };
  }

  #number(conversation: string, prefix: string): number {
    const known = this.#known.get(conversation);
    const number = known === undefined ? 1 : known.number + (known.prefix === prefix ? 0 : 1);
    this.#known.delete(conversation); // re-inserted, so that the first entry is the least recently used
    this.#known.set(conversation, { prefix, number });
    const [oldest] = this.#known.keys();
    if (this.#known.size > CONVERSATIONS_MAX && oldest !== undefined) this.#known.delete(oldest);
    return number;
  }
}

/** A hash that identifies the conversation so far. */
export function conversationPrefix(conversation: unknown): string {
  const written = JSON.stringify(conversation ?? null);
  return createHash('sha256').update(written).digest('base64');
}

/** The failed tool results since the model's last message. */
function errorsSince(units: readonly MessageUnit[]): readonly ResultError[] {
  const lastModelUnit = units.findLastIndex(({ kind }) => kind === 'answer' || kind === 'call');
  const names = new Map(
    units.flatMap((unit) => (unit.kind === 'call' ? [[unit.id, unit.name]] : [])),
  );
  return units
    .slice(lastModelUnit + 1)
    .flatMap((unit) =>
      unit.kind === 'result' && unit.isError === true
        ? [{ tool: names.get(unit.id) ?? '', text: unit.text.slice(0, ERROR_CHARS_MAX) }]
        : [],
    );
}
