/** What a gateway tells: facts, in the order in which they happened. Deciding is for those who listen. */
import type { Instant } from '../base/clock.ts';
import type { BudgetLimit, CallCharge, BudgetUsage } from './budget/budget-ledger.ts';
import type { CallKind } from './calls/classify-call.ts';
import type { BudgetScope } from './budget/budget-pool.ts';
import type { ProviderRefusal } from './observe/read-limits.ts';
import type { StopKind } from './observe/stop-kind.ts';
import type { QuotaStatus, UsageWindow } from './observe/usage-windows.ts';
import type { RequestedCall, TokenUsage, WireName } from './wires/wire.ts';

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
 * How a call ended. `cut`: the provider's side broke, or its answer ended without a reason; `left`: the
 * agent's side did; `nothing`: a good status with nothing in it; `over-budget`: it wrote more than was
 * reserved for it, and was cut by us.
 */
export type CallEndKind =
  | 'answered'
  | 'nothing'
  | 'cut'
  | 'left'
  | 'timed-out'
  | 'unreachable'
  | 'too-large'
  | 'over-budget';

export type ResultError = { readonly tool: string; readonly text: string };

/** One exchange of a conversation: a request that was tried again is the same turn. */
export type GatewayTurn = {
  readonly conversation: string;
  readonly kind: 'main' | 'sub';
  /** Counts from 1 within its conversation. */
  readonly number: number;
  readonly model: string;
  /** What the model asked for, in its order. */
  readonly calls: readonly RequestedCall[];
  /** What came back as an error since the turn before. */
  readonly errors: readonly ResultError[];
  readonly text: string;
  /** What the model has read: how full its context is. */
  readonly contextTokens: number | null;
  readonly contextTokensMax: number | null;
  readonly outputTokens: number | null;
  readonly stop: string | null;
};

/** Whoever asks for nonsense for ever must not fill a journal with it. */
export function isReportable(count: number): boolean {
  return count <= 100 || (count & (count - 1)) === 0;
}

export type GatewayFact = { readonly at: Instant } & (
  | { readonly kind: 'call-begun'; readonly call: CallAbout; readonly requestBytes: number }
  | {
      readonly kind: 'call-held';
      readonly call: CallAbout;
      /** Null: there was no answer, or none that anybody has seen. */
      readonly refusal: ProviderRefusal | null;
      readonly waitMs: number;
    }
  | {
      readonly kind: 'call-ended';
      readonly call: CallAbout;
      readonly end: CallEndKind;
      /** Null when no answer came. */
      readonly status: number | null;
      /** Why the model ended its answer; null when there was none, or an error in its place. */
      readonly stop: StopKind | null;
      /** The provider's own word for that. */
      readonly stopWord: string | null;
      readonly usage: TokenUsage | null;
      /** Null when the usage or the price is not known. */
      readonly costUsd: number | null;
      readonly ms: number;
      /** From the request to the first byte of the answer's body. */
      readonly firstByteMs: number | null;
      readonly requestBytes: number;
      readonly responseBytes: number;
      /** Work ends with it: we have asked again for as long as it makes sense. */
      readonly decisive: boolean;
    }
  /** What the budgets were charged for it; null: it never reached the provider. */
  | { readonly kind: 'call-settled'; readonly call: CallAbout; readonly cost: CallCharge | null }
  | {
      readonly kind: 'provider-refused';
      readonly call: CallAbout;
      readonly refusal: ProviderRefusal;
      /** It says something of the agent's key and model, and not only of this request. */
      readonly ofIdentity: boolean;
      /** The work itself is stopped by it, and no retry of the CLI's own helps. */
      readonly decisive: boolean;
    }
  | {
      readonly kind: 'usage-windows';
      readonly wire: WireName;
      readonly windows: readonly UsageWindow[];
      readonly status: QuotaStatus;
    }
  | { readonly kind: 'turn'; readonly turn: GatewayTurn }
  /** Taken out of a request before it went on: tools that run at the provider, fields that no cap can count. */
  | {
      readonly kind: 'request-reduced';
      readonly call: CallAbout;
      readonly removed: readonly string[];
    }
  /** Refused here for what it asks, in the provider's own shape. */
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
      readonly message: string;
    }
  /** Asked for something that is no call of a model, or without the token of this run. */
  | {
      readonly kind: 'stranger-refused';
      readonly why:
        | 'no-such-path'
        | 'no-token'
        | 'no-upstream'
        | 'no-tunnel'
        | 'too-large'
        | 'unknown-encoding'
        | 'not-json';
      readonly what: string;
      /** How many there have been; beyond a hundred only each doubling is told. */
      readonly count: number;
    }
);
