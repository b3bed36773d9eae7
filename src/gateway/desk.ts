/** What all calls of one gateway share. */
import type { Clock } from '../base/clock.ts';
import type { CallBudget } from './call-budget.ts';
import type { SlotSource } from './call-slots.ts';
import type { CallKind, Conversations, Headers } from './classify-call.ts';
import { kindOf } from './classify-call.ts';
import type { CallAbout, GatewayFact } from './facts.ts';
import type { InputBounds } from './input-bound.ts';
import type { OutagePatience } from './outage-patience.ts';
import type { OutputSizes } from './output-sizes.ts';
import type { Price } from './prices.ts';
import type { CallRecord } from './record-calls.ts';
import type { Route } from './route.ts';
import type { Turns } from './turns.ts';
import type { UnfinishedAnswers } from './unfinished-answers.ts';
import type { Outside, Upstream } from './upstream.ts';
import type { WindowsSeen } from './usage-windows.ts';
import type { ModelRequest, WireName } from './wire.ts';
import type { WorkModel } from './work-model.ts';

export type GatewayBounds = {
  readonly requestBytesMax: number;
  readonly responseBytesMax: number;
  readonly connectionsMax: number;
  /** Calls of this gateway that are under way at once. */
  readonly callsMax: number;
  /** How long a provider may take to begin its answer. */
  readonly firstByteMs: number;
  /** How long a stream may be silent. Providers send a sign of life every few seconds. */
  readonly silenceMs: number;
};

/** A fact before it has its time. */
type Untimed = GatewayFact extends infer Fact
  ? Fact extends GatewayFact
    ? Omit<Fact, 'at'>
    : never
  : never;

export type Desk = {
  readonly clock: Clock;
  readonly upstreams: Readonly<Partial<Record<WireName, Upstream>>>;
  readonly limitPatienceMs: number;
  readonly outages: OutagePatience;
  /** Shared with other runs; and this gateway's own, which calls of slow readers hold on to. */
  readonly slots: SlotSource;
  readonly ownSlots: SlotSource;
  /** Resolves when calls may go out, or when the signal aborts. */
  readonly mayCall: (signal: AbortSignal) => Promise<void>;
  readonly budget: CallBudget;
  /** Whether what calls cost is limited, and not only how many there are. */
  readonly costCapped: boolean;
  readonly prices: readonly Price[];
  /** Whether a model without a price may be used although money is capped. */
  readonly unpriced: boolean;
  readonly bounds: GatewayBounds;
  readonly outside: Outside;
  readonly conversations: Conversations;
  readonly turns: Turns;
  readonly unfinished: UnfinishedAnswers;
  readonly sizes: OutputSizes;
  readonly inputs: InputBounds;
  /** Tools of providers that may be used: `gateway.server_tools`. */
  readonly serverTools: ReadonlySet<string>;
  readonly tell: (fact: Untimed) => void;
  readonly record: ((call: CallRecord) => void) | undefined;
  readonly nextNumber: () => number;
  readonly workModel: WorkModel;
  readonly windowsSeen: WindowsSeen;
};

export function aboutCall(
  desk: Desk,
  number: number,
  { wire, does }: Route,
  headers: Headers,
  request: ModelRequest,
): CallAbout {
  return {
    number,
    wire: wire.name,
    kind: kindFor(does, headers, request),
    conversation: desk.conversations.of(headers, request.units),
    model: request.model,
  };
}

function kindFor(does: Route['does'], headers: Headers, request: ModelRequest): CallKind {
  if (does === 'generate') return kindOf(headers, request);
  if (does === 'compact') return 'compaction';
  return does === 'count' ? 'count' : 'probe';
}
