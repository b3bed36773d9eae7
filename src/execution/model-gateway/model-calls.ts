/** What the gateway told, folded to what an end is judged by: one entry a call, the latest of them. */
import type { AgentError } from '../../adapters/agent-event.ts';
import { agentError } from '../../adapters/agent-event.ts';
import type { CallEndKind, GatewayFact } from '../../gateway/gateway-facts.ts';
import type { StopKind } from '../../gateway/observe/stop-kind.ts';
import type { ModelCall } from '../../failures/evidence.ts';

/** By the number of the call, in the order in which they began. */
export type ObservedCalls = ReadonlyMap<number, ModelCall>;

const CALLS_MAX = 50;
/** The provider's side broke; when the agent's did, that says nothing of the call. */
const BROKEN: Readonly<Partial<Record<CallEndKind, { message: string; code: string }>>> = {
  cut: { message: 'the answer was cut off', code: 'cut-answer' },
  'timed-out': { message: 'the provider did not answer in time', code: 'cut-answer' },
  unreachable: { message: 'the provider could not be reached', code: 'cut-answer' },
  nothing: { message: 'the provider answered with nothing', code: 'no-answer' },
  'too-large': {
    message: 'the answer was larger than the gateway lets through',
    code: 'cut-answer',
  },
};
/** Answers that came whole and are not all that the model had to say. */
const STOPPED: Readonly<Partial<Record<StopKind, { message: string; code: string }>>> = {
  length: { message: 'the answer was cut at its longest allowed length', code: 'stop-length' },
  filter: { message: 'the provider withheld the answer', code: 'stop-filter' },
  unfinished: { message: 'the answer ended without a normal stop', code: 'stop-unfinished' },
};

export function foldCalls(seen: ObservedCalls, fact: GatewayFact): ObservedCalls {
  switch (fact.kind) {
    case 'call-begun':
      return changed(seen, fact, {});
    case 'provider-refused':
      return changed(seen, fact, { error: errorOf(fact), isLimit: isLimit(fact) });
    case 'budget-exhausted':
      return changed(seen, fact, {
        overBudget: { because: fact.because, message: fact.message },
        ended: true,
      });
    case 'request-refused':
      return changed(seen, fact, {
        error: agentError(fact.message, { status: 400, code: fact.code, at: fact.at }),
        ended: true,
        // A search by the provider is a request of its own: to the agent it is a tool that failed.
        ...(fact.code === 'server_tool_refused' ? { kind: 'side' as const } : {}),
      });
    case 'call-ended': {
      // Half an answer that the agent did not wait for is no fault of the provider's.
      const stop = fact.end === 'left' && fact.stop === 'unfinished' ? null : fact.stop;
      const error = seen.get(fact.call.number)?.error ?? faultOf({ ...fact, stop });
      return changed(seen, fact, { error, stop, ended: true });
    }
    case 'call-held':
    case 'call-settled':
    case 'usage-windows':
    case 'turn':
    case 'request-reduced':
    case 'stranger-refused':
      return seen;
  }
}

function faultOf({
  end,
  stop,
  stopWord,
  at,
}: Extract<GatewayFact, { kind: 'call-ended' }>): AgentError | null {
  const broken = BROKEN[end];
  if (broken !== undefined) return agentError(broken.message, { code: broken.code, at });
  const stopped = stop === null ? undefined : STOPPED[stop];
  if (stopped === undefined) return null;
  const message = stopWord === null ? stopped.message : `${stopped.message} (${stopWord})`;
  return agentError(message, { code: stopped.code, at });
}

/** Some CLIs ask a provider that is down again and again, for minutes; waiting is ours. */
const FAILURES_MAX = 3;

/** Whether the calls that do the work fail one after the other, so often that the agent's own patience is no use. */
export function isGivenUp(seen: ObservedCalls): boolean {
  const work = [...seen.values()].filter(({ kind }) => kind === 'main' || kind === 'sub');
  const last = work.slice(-FAILURES_MAX);
  return last.length === FAILURES_MAX && last.every((call) => isFailure(call));
}

/** An answer that was too long or withheld is one: some agents continue from there. */
function isFailure({ error, stop }: ModelCall): boolean {
  return error !== null && stop !== 'length' && stop !== 'filter';
}

function changed(
  seen: ObservedCalls,
  { call: { number, kind } }: Extract<GatewayFact, { call: unknown }>,
  news: Partial<ModelCall>,
): ObservedCalls {
  const before = seen.get(number) ?? {
    kind,
    error: null,
    isLimit: false,
    stop: null,
    ended: false,
    overBudget: null,
  };
  const calls = [...seen].filter(([other]) => other !== number);
  const all: [number, ModelCall][] = [...calls, [number, { ...before, ...news }]];
  const inOrder = all.toSorted(([a], [b]) => a - b);
  const main = inOrder.findLast(([, call]) => call.kind === 'main');
  const latest = inOrder.slice(-CALLS_MAX);
  // However many calls of subagents came after it, the last one of the work itself is needed at the end.
  return new Map(main === undefined || latest.includes(main) ? latest : [main, ...latest]);
}

/** Told apart by the provider's types, and only on the model that does the work. */
function isLimit({
  refusal: { cause },
  ofIdentity,
}: Extract<GatewayFact, { kind: 'provider-refused' }>): boolean {
  return ofIdentity && (cause === 'rate-limit' || cause === 'quota');
}

function errorOf({ refusal, at }: Extract<GatewayFact, { kind: 'provider-refused' }>): AgentError {
  return agentError(refusal.message, {
    status: refusal.status === 200 ? null : refusal.status, // it came inside a stream
    code: refusal.type === '' ? null : refusal.type,
    at,
    resetAt: refusal.retryAt,
  });
}
