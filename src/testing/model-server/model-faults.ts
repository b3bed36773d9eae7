import type { CallKind } from '../../gateway/calls/classify-call.ts';
import type { ProblemKind } from './model-wire.ts';

/** Everything that can go wrong between an agent and its model. */
export type Fault =
  /** A status with the body and the headers that the provider sends with it. */
  | { readonly kind: ProblemKind; readonly retryAfterS?: number; readonly message?: string }
  /** A good status, and then: nothing, broken JSON, a web page. */
  | { readonly kind: 'empty' | 'malformed-json' | 'html' }
  /** The connection breaks before an answer. */
  | { readonly kind: 'reset' }
  /** The socket is destroyed in the middle of an event. */
  | { readonly kind: 'cut'; readonly afterFrames?: number }
  /** The stream ends in order, without its last events. */
  | { readonly kind: 'no-finish' }
  | { readonly kind: 'error-event'; readonly problem?: ProblemKind }
  /** No bytes until the client disconnects, the bound passes (ten minutes) or the server closes. */
  | {
      readonly kind: 'hang';
      readonly where?: 'before-headers' | 'in-stream';
      readonly boundMs?: number;
    }
  /** A whole answer in small bits. */
  | { readonly kind: 'drip'; readonly everyMs: number; readonly bytes?: number };

/** When a fault happens. Without `at` it affects the next calls. */
export type FaultRule = {
  readonly fault: Fault;
  readonly at?: {
    /** Calls at this step of the script, the first being 0. */
    readonly step?: number;
    /** From this call on, among the calls of these kinds, the first being 1. */
    readonly request?: number;
  };
  /** How many calls it affects. Default: one with `at.request`, else all of them. */
  readonly times?: number;
  /** Default: the calls that do the work, `main` and `sub`. */
  readonly on?: readonly CallKind[];
};

const WORK: readonly CallKind[] = ['main', 'sub'];

type Armed = { readonly rule: FaultRule; seen: number; left: number };

/** The pending faults. The first that fits a call affects it. */
export class Faults {
  #armed: Armed[] = [];

  constructor(rules: readonly FaultRule[] = []) {
    for (const rule of rules) this.add(rule);
  }

  add(rule: FaultRule): void {
    const once = rule.at?.request !== undefined;
    this.#armed.push({ rule, seen: 0, left: rule.times ?? (once ? 1 : Infinity) });
  }

  clear(): void {
    this.#armed = [];
  }

  strike(kind: CallKind, step: number): Fault | undefined {
    const due = this.#armed.filter((armed) => isDue(armed, kind, step));
    const [first] = due;
    if (first === undefined) return undefined;
    first.left -= 1;
    return first.rule.fault;
  }
}

function isDue(armed: Armed, kind: CallKind, step: number): boolean {
  const { at, on = WORK } = armed.rule;
  if (!on.includes(kind)) return false;
  armed.seen += 1; // counts every call of its kinds, affected or not
  if (armed.left <= 0 || armed.seen < (at?.request ?? 1)) return false;
  return at?.step === undefined || at.step === step;
}

const STREAM_FAULTS = [
  'empty',
  'malformed-json',
  'html',
  'reset',
  'cut',
  'no-finish',
  'error-event',
  'hang',
  'drip',
] as const;

export type TransportFault = Extract<Fault, { kind: (typeof STREAM_FAULTS)[number] }>;

/** True for faults in the bytes; all other faults are a status with a body. */
export function isTransportFault(fault: Fault): fault is TransportFault {
  return STREAM_FAULTS.some((kind) => kind === fault.kind);
}
