/** State that all calls of one gateway share. */
import type { Clock } from '../base/clock.ts';
import type { CallBudget } from './budget/call-budget.ts';
import type { SlotSource } from './calls/call-slots.ts';
import type { CallKinds } from './calls/call-kinds.ts';
import type { Conversations, CallHeaders } from './calls/classify-call.ts';
import type { CallAbout, GatewayFact } from './gateway-facts.ts';
import type { InputBounds } from './budget/input-bound.ts';
import type { OutageRetries } from './calls/outage-retries.ts';
import type { OutputEstimates } from './budget/output-estimates.ts';
import type { Price } from '../prices/price.ts';
import type { CallRecord } from './observe/record-calls.ts';
import type { CallRoute } from './calls/call-route.ts';
import type { ToldMessages } from './observe/told-messages.ts';
import type { TurnTracker } from './observe/gateway-turns.ts';
import type { UnfinishedAnswers } from './observe/unfinished-answers.ts';
import type { OutsideNetwork, Upstream } from './network/upstream.ts';
import type { WindowsSeen } from './observe/usage-windows.ts';
import type { ModelRequest, WireName } from './wires/wire.ts';
import type { WorkModel } from './observe/work-model.ts';

export type GatewayBounds = {
  readonly requestBytesMax: number;
  readonly responseBytesMax: number;
  readonly connectionsMax: number;
  /** Concurrent calls of this gateway. */
  readonly callsMax: number;
  /** How long a provider may take to begin its answer. */
  readonly firstByteMs: number;
  /** How long a stream may be silent. Providers send keep-alive events every few seconds. */
  readonly silenceMs: number;
};

/** A fact without its timestamp. */
type Untimed = GatewayFact extends infer Fact
  ? Fact extends GatewayFact
    ? Omit<Fact, 'at'>
    : never
  : never;

export type CallContext = {
  readonly clock: Clock;
  readonly upstreams: Readonly<Partial<Record<WireName, Upstream>>>;
  readonly limitPatienceMs: number;
  readonly outages: OutageRetries;
  /**
   * `slots` are shared with other runs. `ownSlots` belong to this gateway; a call keeps its own slot even if its
   * reader is slow.
   */
  readonly slots: SlotSource;
  readonly ownSlots: SlotSource;
  /** Resolves when calls may go out, or when the signal aborts. */
  readonly mayCall: (signal: AbortSignal) => Promise<void>;
  readonly budget: CallBudget;
  /** Whether the cost of calls is limited, and not only their number. */
  readonly costCapped: boolean;
  readonly prices: readonly Price[];
  /** Whether a model without a price may be used although money is capped. */
  readonly unpriced: boolean;
  readonly bounds: GatewayBounds;
  readonly outside: OutsideNetwork;
  readonly conversations: Conversations;
  readonly kinds: CallKinds;
  readonly turns: TurnTracker;
  readonly unfinished: UnfinishedAnswers;
  readonly sizes: OutputEstimates;
  readonly inputs: InputBounds;
  /** Provider-side tools that may be used: `gateway.server_tools`. */
  readonly serverTools: ReadonlySet<string>;
  readonly report: (fact: Untimed) => void;
  readonly record: ((call: CallRecord) => void) | undefined;
  readonly nextNumber: () => number;
  readonly workModel: WorkModel;
  readonly windowsSeen: WindowsSeen;
  readonly told: ToldMessages;
};

export function aboutCall(
  context: CallContext,
  number: number,
  { wire, operation }: CallRoute,
  headers: CallHeaders,
  request: ModelRequest,
): CallAbout {
  const conversation = context.conversations.identify(headers, request.units);
  const kind = context.kinds.classify(operation, headers, request, conversation);
  return { number, wire: wire.name, kind, conversation, model: request.model };
}
