/**
 * The model that does an attempt's work: the configured one, else that of the first main call. Only a limit
 * on it says something of the agent's identity. An agent that asks for another model, or for a tier with
 * limits of its own, can provoke a refusal whenever it likes.
 */
import type { CallAbout } from '../gateway-facts.ts';
import type { ProviderRefusal } from './read-limits.ts';
import { baseModelName } from '../budget/prices.ts';
import { textField } from '../wires/json-shape.ts';

type Call = Pick<CallAbout, 'kind' | 'model'>;

export class WorkModel {
  readonly #configured: string | undefined;
  #first: string | undefined;
  #hasTools = false;

  constructor(configured: string | undefined) {
    this.#configured = configured && configuredName(configured);
  }

  /** `offersTools`: plain calls of a custom agent are work too, but its model is the one that gets its tools. */
  see({ kind, model }: Call, offersTools: boolean): void {
    if (kind === 'main' && offersTools && !this.#hasTools) this.#first = model;
    if (kind === 'main') this.#first ??= model;
    this.#hasTools ||= offersTools && (kind === 'main' || kind === 'sub');
  }

  /** Only work on this model decides anything. */
  isDecidedBy({ kind, model }: Call): boolean {
    return (kind === 'main' || kind === 'sub') && this.#is(model);
  }

  /** Whether a refusal says something of the identity, and not only of this request. */
  concernsIdentity(
    { kind, model }: Call,
    { cause }: Pick<ProviderRefusal, 'cause'>,
    body: Readonly<Record<string, unknown>>,
  ): boolean {
    // An agent that offers no tools works in calls that look like those on the side.
    const isBare = kind === 'side' && !this.#hasTools && this.#configured !== undefined;
    const isWork = kind === 'main' || kind === 'sub' || kind === 'compaction' || isBare;
    // Such an option has a limit and a balance of its own, and an agent can ask for it in any request.
    const isOfOption = (cause === 'rate-limit' || cause === 'quota') && hasOwnLimits(body);
    return isWork && this.#is(model) && !isOfOption;
  }

  #is(model: string): boolean {
    const configured = this.#configured;
    if (configured === undefined) return model === this.#first;
    const asked = baseModelName(model)
      .replace(/-customtools$/, '')
      .toLowerCase();
    if (asked === configured) return true;
    if (/\d/.test(configured)) return false;
    // A word such as `opus` stands for the newest of a family, and one such as `auto` for whichever.
    const isFamily = asked.includes(configured);
    return isFamily || (model === this.#first && !FAMILIES.test(configured));
  }
}

const FAMILIES = /^(?:opus|sonnet|haiku|fable|pro|flash)$/;

function configuredName(written: string): string {
  return baseModelName(written.split('/').at(-1) ?? '').toLowerCase();
}

/** Faster and cheaper tiers are limited, and some are paid for, apart from the model itself. */
function hasOwnLimits(body: Readonly<Record<string, unknown>>): boolean {
  const tier = textField(
    body['service_tier'] ?? body['serviceTier'] ?? body['service-tier'],
  ).toLowerCase();
  return (
    ['priority', 'flex', 'fast'].includes(tier) || textField(body['speed']).toLowerCase() === 'fast'
  );
}
