/**
 * Facts that a gateway reports, in the order in which they happened. The gateway decides nothing: the owner reads
 * them.
 */
import type { Instant } from '../base/clock.ts';
import type { BudgetLimit, CallCharge, BudgetUsage } from './budget/budget-ledger.ts';
import type { CallKind } from './calls/classify-call.ts';
import type { BudgetScope } from './budget/budget-pool.ts';
import type { ProviderRefusal } from './observe/read-limits.ts';
import type { StopKind } from './observe/stop-kind.ts';
import type { QuotaStatus, UsageWindow } from './observe/usage-windows.ts';
import type { TokenUsage, WireName } from './wires/wire.ts';
import type { TurnRecord } from '../protocol/turn.ts';

/** Which call a fact is about. */
export type CallAbout = {
  /** Counts from 1 within one gateway. */
  readonly number: number;
  readonly wire: WireName;
  readonly kind: CallKind;
  readonly conversation: string;
  readonly model: string;
};

/**
 * How a call ended. `incomplete`: the provider's side broke, or its answer ended without a stop reason. `disconnected`: the agent
 * disconnected. `empty`: a good status with an empty answer. `over-budget`: the answer grew beyond what was
 * reserved for it, and the gateway cut it.
 */
export type CallEndKind =
  | 'answered'
  | 'empty'
  | 'incomplete'
  | 'disconnected'
  | 'timed-out'
  | 'unreachable'
  | 'too-large'
  | 'over-budget';

/**
 * Bounds how many refused requests are reported. An agent that sends nonsense for ever must not fill the journal with
 * it.
 */
export function isReportable(count: number): boolean {
  return count <= 100 || (count & (count - 1)) === 0;
}

export type GatewayFact = { readonly at: Instant } & (
  | { readonly kind: 'call-begun'; readonly call: CallAbout; readonly requestBytes: number }
  | {
      readonly kind: 'call-held';
      readonly call: CallAbout;
      /** Null: no answer came, or none that the agent has seen. */
      readonly refusal: ProviderRefusal | null;
      readonly waitMs: number;
    }
  | {
      readonly kind: 'call-ended';
      readonly call: CallAbout;
      readonly end: CallEndKind;
      /** Null when no answer came. */
      readonly status: number | null;
      /** Why the model ended its answer. Null if there was no answer, or an error in its place. */
      readonly stop: StopKind | null;
      /** The provider's own word for the stop reason. */
      readonly stopWord: string | null;
      readonly usage: TokenUsage | null;
      /** Null when the usage or the price is not known. */
      readonly costUsd: number | null;
      readonly ms: number;
      /** From the request to the first byte of the answer's body. */
      readonly firstByteMs: number | null;
      readonly requestBytes: number;
      readonly responseBytes: number;
      /** The attempt ends with this call: the gateway has retried for as long as it makes sense. */
      readonly decisive: boolean;
    }
  /** What the budgets were charged for the call. Null: the call never reached the provider. */
  | { readonly kind: 'call-settled'; readonly call: CallAbout; readonly cost: CallCharge | null }
  | {
      readonly kind: 'provider-refused';
      readonly call: CallAbout;
      readonly refusal: ProviderRefusal;
      /** The refusal concerns the agent's key and model, and not only this request. */
      readonly ofIdentity: boolean;
      /** The refusal stops the work itself, and no retry of the CLI helps. */
      readonly decisive: boolean;
    }
  | {
      readonly kind: 'usage-windows';
      readonly wire: WireName;
      readonly windows: readonly UsageWindow[];
      readonly status: QuotaStatus;
    }
  | { readonly kind: 'turn'; readonly turn: TurnRecord }
  /** The provider has answered a request of the main conversation that has a message to the agent: how often. */
  | {
      readonly kind: 'message-seen';
      readonly call: CallAbout;
      readonly message: string;
      readonly times: number;
    }
  /**
   * Removed from a request before it was forwarded: tools that run at the provider, and fields whose cost cannot be
   * bounded.
   */
  | {
      readonly kind: 'request-reduced';
      readonly call: CallAbout;
      readonly removed: readonly string[];
    }
  /** The gateway refused the request for its content, in the provider's error format. */
  | {
      readonly kind: 'request-refused';
      readonly call: CallAbout;
      readonly code: string;
      readonly message: string;
    }
  | {
      readonly kind: 'budget-exhausted';
      readonly call: CallAbout;
      readonly scope: BudgetScope;
      readonly limit: BudgetLimit;
      readonly because: 'spent' | 'price-unknown';
      readonly spent: BudgetUsage;
      /** The least by which the cap has to rise for the call, in the unit of `limit`. Absent: it is not known. */
      readonly needs?: number;
      readonly message: string;
    }
  /** The request is not a model call, or it lacks the token of this run. */
  | {
      readonly kind: 'unexpected-request';
      readonly why:
        | 'no-such-path'
        | 'no-token'
        | 'no-upstream'
        | 'no-tunnel'
        | 'too-large'
        | 'unknown-encoding'
        | 'not-json';
      readonly what: string;
      /** How many there have been. Beyond a hundred, only each doubling is reported. */
      readonly count: number;
    }
);
