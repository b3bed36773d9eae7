/** The messages between an owner and the process of its gateway. */
import type { Json } from '../../base/json.ts';
import type { FromGateway } from '../../protocol/gateway-message.ts';
import type { BudgetSpent, ReservedCall } from '../budget/call-budget.ts';
import type { PlainCalls } from '../calls/call-kinds.ts';
import type { AllowedHost } from '../network/connect-proxy.ts';
import type { GatewayBounds } from '../call-context.ts';
import type { GatewayFact } from '../gateway-facts.ts';
import type { OutageTerms } from '../calls/outage-retries.ts';
import type { ToldMessage } from '../observe/told-messages.ts';
import type { Price } from '../../prices/price.ts';
import type { Upstreams } from '../network/upstreams.ts';

/** Everything that one gateway gets at its start. It is sent over the channel only, because it contains the keys. */
export type GatewayTerms = {
  readonly socket: string;
  readonly token: string;
  readonly upstreams: Upstreams;
  readonly model: string | null;
  readonly plainCalls: PlainCalls;
  readonly limitPatienceMs: number;
  readonly outage: OutageTerms;
  readonly unpriced: boolean;
  readonly costCapped: boolean;
  readonly prices: readonly Price[];
  readonly serverTools: readonly string[];
  readonly bounds: Partial<GatewayBounds>;
  readonly privateHosts: readonly string[];
  /** Hosts that a tunnel may be opened to. */
  readonly tunnels: readonly AllowedHost[];
  /** Null: calls are not recorded. */
  readonly recording: { readonly bytesMax: number; readonly secrets: readonly string[] } | null;
};

export type ToGateway =
  | { readonly kind: 'start'; readonly terms: GatewayTerms }
  | { readonly kind: 'ping'; readonly nonce: number }
  | { readonly kind: 'close' }
  | { readonly kind: 'tell'; readonly message: ToldMessage }
  | { readonly kind: 'withdraw'; readonly id: string }
  /** The answer to `ask-turn` and `ask-slot`. The next two answer `reserve`. */
  | { readonly kind: 'granted'; readonly id: number }
  | {
      readonly kind: 'reserved';
      readonly id: number;
      readonly answer: Pick<ReservedCall, 'cost' | 'lowered'>;
    }
  | { readonly kind: 'spent'; readonly id: number; readonly answer: BudgetSpent }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

/** The longest frame in each direction. A gateway cuts its facts to fit: see `fitFact`. */
export const FRAME_BYTES_MAX = { toOwner: 262_144, toGateway: 4_000_000 } as const;

type FactRead = Extract<FromGateway, { kind: 'fact' }>['fact'];
type Reads<Value> = Value extends readonly (infer Item)[]
  ? readonly Reads<Item>[]
  : Value extends number | string
    ? Value
    : Value extends object
      ? { readonly [Key in keyof Value]: Reads<Value[Key]> }
      : Value;
/** The keys of a value, at any depth, that the schema does not read. `strictObject` would refuse each of them. */
type UnreadIn<Value, Read> =
  NonNullable<Json> extends Value
    ? never
    : Value extends number | string
      ? never
      : Value extends readonly (infer Item)[]
        ? UnreadIn<Item, Read extends readonly (infer ReadItem)[] ? ReadItem : never>
        : Value extends object
          ? {
              [Key in keyof Value]-?: Key extends keyof Read
                ? UnreadIn<NonNullable<Value[Key]>, NonNullable<Read[Key]>>
                : Key;
            }[keyof Value]
          : never;
type Unread = {
  [Kind in GatewayFact['kind']]: UnreadIn<
    Extract<GatewayFact, { kind: Kind }>,
    Extract<FactRead, { kind: Kind }>
  >;
}[GatewayFact['kind']];

/** The next two functions do not compile if `GatewayFact` and the schema of `FromGateway` differ. */
export function toFact(fact: [Unread] extends [never] ? FactRead : never): GatewayFact {
  return fact;
}

export function fromFact(fact: GatewayFact): Reads<FactRead> {
  return fact;
}
