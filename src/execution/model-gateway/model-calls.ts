/** Folds the facts of the gateway into the model calls of an attempt, which its classification uses. */
import type { AgentError } from '../../adapters/agent-event.ts';
import { agentError } from '../../adapters/agent-event.ts';
import type { CallEndKind, GatewayFact } from '../../gateway/gateway-facts.ts';
import type { StopKind } from '../../gateway/observe/stop-kind.ts';
import type { ModelCall } from '../../failures/evidence.ts';

/** By number, in the order in which the calls began. */
export type ObservedCalls = ReadonlyMap<number, ModelCall>;

const CALLS_MAX = 50;
/** Calls that broke on the provider's side. If the agent's side breaks, that is not a failure of the call. */
const BROKEN: Readonly<Partial<Record<CallEndKind, { message: string; code: string }>>> = {
  incomplete: { message: 'the answer was cut off', code: 'cut-answer' },
  'timed-out': { message: 'the provider did not answer in time', code: 'cut-answer' },
  unreachable: { message: 'the provider could not be reached', code: 'cut-answer' },
  empty: { message: 'the provider answered with nothing', code: 'no-answer' },
  'too-large': {
    message: 'the answer was larger than the gateway lets through',
    code: 'cut-answer',
  },
};
/** Answers that arrived completely although the model did not finish. */
const STOPPED: Readonly<Partial<Record<StopKind, { message: string; code: string }>>> = {
  length: { message: 'the answer was cut at its longest allowed length', code: 'stop-length' },
  filter: { message: 'the provider withheld the answer', code: 'stop-filter' },
  unfinished: { message: 'the answer ended without a normal stop', code: 'stop-unfinished' },
};

export function foldCalls(seen: ObservedCalls, fact: GatewayFact): ObservedCalls {
  switch (fact.kind) {
    case 'message-seen':
      return seen;
    case 'call-begun':
      return updateCall(seen, fact, {});
    case 'provider-refused':
      return updateCall(seen, fact, { error: refusalError(fact), isLimit: isLimit(fact) });
    case 'budget-exhausted':
      return updateCall(seen, fact, {
        overBudget: {
          because: fact.because,
          message: fact.message,
          ...(fact.because === 'price-unknown' ? { model: fact.call.model } : {}),
        },
        ended: true,
      });
    case 'request-refused':
      return updateCall(seen, fact, {
        error: agentError(fact.message, { status: 400, code: fact.code, at: fact.at }),
        ended: true,
        // A search by the provider is a separate request. The agent only sees a failed tool.
        ...(fact.code === 'server_tool_refused' ? { kind: 'side' as const } : {}),
      });
    case 'call-ended': {
      // The agent closed the connection, so the incomplete answer is not a failure of the provider.
      const stop = fact.end === 'disconnected' && fact.stop === 'unfinished' ? null : fact.stop;
      const error = seen.get(fact.call.number)?.error ?? endError({ ...fact, stop });
      return updateCall(seen, fact, { error, stop, ended: true });
    }
    case 'call-held':
    case 'call-settled':
    case 'usage-windows':
    case 'turn':
    case 'request-reduced':
    case 'unexpected-request':
      return seen;
  }
}

function endError({
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

/** Some CLIs retry for minutes while a provider is down. Supervisor ends them earlier and waits itself. */
const FAILURES_MAX = 3;

/** Whether the last main and subagent calls all failed, so that more retries of the agent are pointless. */
export function isGivenUp(seen: ObservedCalls): boolean {
  const work = [...seen.values()].filter(({ kind }) => kind === 'main' || kind === 'sub');
  const last = work.slice(-FAILURES_MAX);
  return last.length === FAILURES_MAX && last.every((call) => isFailure(call));
}

/** An answer that was too long or withheld does not count: some agents continue after it. */
function isFailure({ error, stop }: ModelCall): boolean {
  return error !== null && stop !== 'length' && stop !== 'filter';
}

function updateCall(
  seen: ObservedCalls,
  { call: { number, kind } }: Extract<GatewayFact, { call: unknown }>,
  update: Partial<ModelCall>,
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
  const all: [number, ModelCall][] = [...calls, [number, { ...before, ...update }]];
  const inOrder = all.toSorted(([a], [b]) => a - b);
  const main = inOrder.findLast(([, call]) => call.kind === 'main');
  const latest = inOrder.slice(-CALLS_MAX);
  // The classification needs the last main call, however many subagent calls followed it.
  return new Map(main === undefined || latest.includes(main) ? latest : [main, ...latest]);
}

/** Only a limit of the agent's own key and model counts, by the provider's error type. */
function isLimit({
  refusal: { cause },
  ofIdentity,
}: Extract<GatewayFact, { kind: 'provider-refused' }>): boolean {
  return ofIdentity && (cause === 'rate-limit' || cause === 'quota');
}

function refusalError({
  refusal,
  at,
}: Extract<GatewayFact, { kind: 'provider-refused' }>): AgentError {
  return agentError(refusal.message, {
    status: refusal.status === 200 ? null : refusal.status, // it came inside a stream
    code: refusal.type === '' ? null : refusal.type,
    at,
    resetAt: refusal.retryAt,
  });
}
