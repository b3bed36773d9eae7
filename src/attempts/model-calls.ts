/** What the gateway told, folded to what an end is judged by: one entry a call, the latest of them. */
import type { AgentError } from '../agents/event.ts';
import { agentError } from '../agents/event.ts';
import type { CallEndKind, GatewayFact } from '../gateway/facts.ts';
import type { ModelCall } from './evidence.ts';

/** By the number of the call, in the order in which they began. */
export type CallsSeen = ReadonlyMap<number, ModelCall>;

const CALLS_MAX = 50;
/** The provider's side broke; when the agent's did, that says nothing of the call. */
const BROKEN: Readonly<Partial<Record<CallEndKind, { message: string; code: string }>>> = {
  cut: { message: 'the answer was cut off', code: 'cut-answer' },
  'timed-out': { message: 'the provider did not answer in time', code: 'cut-answer' },
  unreachable: { message: 'the provider could not be reached', code: 'cut-answer' },
  nothing: { message: 'the provider answered with nothing', code: 'no-answer' },
};

export function followCalls(seen: CallsSeen, fact: GatewayFact): CallsSeen {
  switch (fact.kind) {
    case 'call-begun':
      return changed(seen, fact, {});
    case 'provider-refused':
      return changed(seen, fact, { error: errorOf(fact) });
    case 'budget-exhausted':
      return changed(seen, fact, { overBudget: { because: fact.because, message: fact.message } });
    case 'request-refused':
      return changed(seen, fact, {
        error: agentError(fact.message, { status: 400, code: fact.code, at: fact.at }),
      });
    case 'call-ended': {
      const broken = BROKEN[fact.end];
      const known = seen.get(fact.call.number)?.error ?? null;
      if (broken === undefined || known !== null) return seen;
      return changed(seen, fact, {
        error: agentError(broken.message, { code: broken.code, at: fact.at }),
      });
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

/** Some CLIs ask a provider that is down again and again, for minutes; waiting is ours. */
const FAILURES_MAX = 3;

/** Whether the calls that do the work fail one after the other, so often that the agent's own patience is no use. */
export function isGivenUp(seen: CallsSeen): boolean {
  const work = [...seen.values()].filter(({ kind }) => kind === 'main' || kind === 'sub');
  const last = work.slice(-FAILURES_MAX);
  return last.length === FAILURES_MAX && last.every(({ error }) => error !== null);
}

function changed(
  seen: CallsSeen,
  { call: { number, kind } }: Extract<GatewayFact, { call: unknown }>,
  news: Partial<ModelCall>,
): CallsSeen {
  const before = seen.get(number) ?? { kind, error: null, overBudget: null };
  const calls = [...seen].filter(([other]) => other !== number);
  const all: [number, ModelCall][] = [...calls, [number, { ...before, ...news }]];
  return new Map(all.toSorted(([a], [b]) => a - b).slice(-CALLS_MAX));
}

function errorOf({ refusal, at }: Extract<GatewayFact, { kind: 'provider-refused' }>): AgentError {
  return agentError(refusal.message, {
    status: refusal.status === 200 ? null : refusal.status, // it came inside a stream
    code: refusal.type === '' ? null : refusal.type,
    at,
    resetAt: refusal.retryAt,
  });
}
