/**
 * The model that does the work of an attempt: the configured one, or else that of the first main call. Only a limit
 * on this model concerns the agent's identity. Otherwise an agent could provoke a limit at will, with another model
 * or with a tier that has its own limits.
 */
import type { CallAbout } from '../gateway-facts.ts';
import type { ProviderRefusal } from './read-limits.ts';
import { baseModelName } from '../../prices/price.ts';
import { textField } from '../wires/json-shape.ts';

type Call = Pick<CallAbout, 'kind' | 'model'>;

export class WorkModel {
  readonly #configured: string | undefined;
  #first: string | undefined;
  #hasTools = false;

  constructor(configured: string | undefined) {
    this.#configured = configured && configuredName(configured);
  }

  /** `offersTools`: plain calls of a custom agent are work too, but its work model is the one that gets its tools. */
  see({ kind, model }: Call, { offersTools }: { readonly offersTools: boolean }): void {
    if (kind === 'main' && offersTools && !this.#hasTools) this.#first = model;
    if (kind === 'main') this.#first ??= model;
    this.#hasTools ||= offersTools && (kind === 'main' || kind === 'sub');
  }

  /** Only work on this model can decide the attempt. */
  isDecidedBy({ kind, model }: Call): boolean {
    return (kind === 'main' || kind === 'sub') && this.#isWorkModel(model);
  }

  /** Whether a refusal concerns the identity, and not only this request. */
  concernsIdentity(
    { kind, model }: Call,
    { cause }: Pick<ProviderRefusal, 'cause'>,
    body: Readonly<Record<string, unknown>>,
  ): boolean {
    // An agent that offers no tools works in calls that look like side calls.
    const isToolless = kind === 'side' && !this.#hasTools && this.#configured !== undefined;
    const isWork = kind === 'main' || kind === 'sub' || kind === 'compaction' || isToolless;
    // Such an option has its own limit and balance, and an agent can ask for it in any request.
    const isOptionLimit = (cause === 'rate-limit' || cause === 'quota') && hasOwnLimits(body);
    return isWork && this.#isWorkModel(model) && !isOptionLimit;
  }

  #isWorkModel(model: string): boolean {
    const configured = this.#configured;
    if (configured === undefined) return model === this.#first;
    const requested = baseModelName(model)
      .replace(/-customtools$/, '')
      .toLowerCase();
    if (requested === configured) return true;
    if (/\d/.test(configured)) return false;
    // A name such as `opus` means the newest model of a family, and `auto` means any model.
    const isFamily = requested.includes(configured);
    return isFamily || (model === this.#first && !FAMILIES.test(configured));
  }
}

const FAMILIES = /^(?:opus|sonnet|haiku|fable|pro|flash)$/;

function configuredName(written: string): string {
  return baseModelName(written.split('/').at(-1) ?? '').toLowerCase();
}

/** Faster and cheaper tiers have their own limits, and some their own billing. */
function hasOwnLimits(body: Readonly<Record<string, unknown>>): boolean {
  const tier = textField(
    body['service_tier'] ?? body['serviceTier'] ?? body['service-tier'],
  ).toLowerCase();
  return (
    ['priority', 'flex', 'fast'].includes(tier) || textField(body['speed']).toLowerCase() === 'fast'
  );
}
