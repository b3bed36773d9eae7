/** The history of one attempt of a run, computed from its events. */
import { plural } from '../../base/text.ts';
import { dollars } from '../cost-words.ts';
import type { CallHold } from '../../protocol/words/call-hold.ts';
import type { NamedRaise } from '../../protocol/views/answer-advice.ts';
import { namedRaise } from '../../protocol/views/answer-advice.ts';
import type { RaisedCap } from './raised-cap.ts';
import { raisedCap } from './raised-cap.ts';
import type { AnomalyRecord } from '../anomaly-words.ts';
import { addAnomaly } from '../anomaly-words.ts';
import type { FailureRecord } from './failure-record.ts';
import { simpleFailure, toFailureRecord } from './failure-record.ts';
import type { GateRecord } from './gate-record.ts';
import type {
  AttemptFacts,
  AttemptOutcome,
  DecisionReason,
} from '../../protocol/contracts/attempt-contract.ts';
import type { CommandEnd, Input, Note } from '../../protocol/commands.ts';

type CommittedRecord = {
  readonly root: string;
  readonly base: string | null;
  readonly ref: string | null;
  readonly files: number;
};

/** The source of a usage figure: the report of the agent's CLI, or the count of our gateway. */
type UsageSource = 'cli' | 'gateway';

type UsageRecord = {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
  readonly tokensFrom: UsageSource | null;
  readonly costFrom: UsageSource | null;
};

type Counted = {
  readonly tokens: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Null: the price of one of its calls is not known. */
  readonly costUsd: number | null;
};

const NO_USAGE: UsageRecord = {
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  tokensFrom: null,
  costFrom: null,
};

export type AttemptHistory = {
  readonly key: string;
  /** The run that made it and paid for it: this one, or one that it continues. */
  readonly run: string;
  readonly number: number;
  readonly agentId: string;
  readonly agentCli: string;
  readonly identity: string;
  /** The attempt continues a conversation of an earlier attempt. */
  readonly isResumed: boolean;
  readonly why: DecisionReason;
  /** How long it may take. */
  readonly deadlineMs: number | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly sandbox: { readonly backend: string | null; readonly containerId: string | null };
  readonly usage: UsageRecord;
  /** The gateway's count so far, call by call. Null: no calls pass through it. */
  readonly counted: Counted | null;
  /** The maximum cost of its open calls. */
  readonly held: readonly {
    readonly call: number;
    readonly tokens: number;
    readonly usd: number;
    readonly unpriced?: true;
  }[];
  /** The model call that the gateway kept back last. It is over when its time has come. */
  readonly heldCall: CallHold | null;
  /** It ended because a budget in US dollars or tokens is spent: by how much an answer raises that. */
  readonly raise: NamedRaise | null;
  /** The same if that is the budget of the run: the cap with which a resumed run can continue. */
  readonly raised: RaisedCap | null;
  readonly exit: number | null;
  readonly end: 'completed' | 'failed' | 'stopped' | 'interrupted' | null;
  /** The agent's final message about its work. */
  readonly summary: string | null;
  readonly failure: FailureRecord | null;
  readonly kept: CommittedRecord | null;
  readonly gates: readonly GateRecord[];
  /** What was found in its turns, one entry for each detector and decision. */
  readonly anomalies: readonly AnomalyRecord[];
};

/** Two attempts with the same identity have the same agent, whatever its name. */
export function agentIdentity({ cli, configDir, args, model }: Input<'attempt'>['agent']): string {
  return JSON.stringify([cli, configDir, args, model]);
}

export function newAttemptHistory(
  { run, key }: Pick<AttemptHistory, 'run' | 'key'>,
  { agent, resume, why, number, deadlineMs }: Input<'attempt'>,
  at: number,
): AttemptHistory {
  const { id, cli } = agent;
  return {
    key,
    run,
    number,
    agentId: id,
    agentCli: cli,
    identity: agentIdentity(agent),
    isResumed: resume !== null,
    why,
    deadlineMs,
    startedAt: at,
    endedAt: null,
    sandbox: { backend: null, containerId: null },
    usage: NO_USAGE,
    counted: null,
    held: [],
    heldCall: null,
    raise: null,
    raised: null,
    exit: null,
    end: null,
    summary: null,
    failure: null,
    kept: null,
    gates: [],
    anomalies: [],
  };
}

export function noteAttempt(
  attempt: AttemptHistory,
  note: Note<'attempt'>,
  at = attempt.startedAt,
): AttemptHistory {
  switch (note.kind) {
    case 'started': {
      const sandbox = { backend: note.sandbox, containerId: note.container ?? null };
      return { ...attempt, sandbox };
    }
    case 'committed': {
      const { root, base, ref, files } = note;
      return { ...attempt, kept: { root, base, ref, files } };
    }
    case 'reserved': {
      const { kind: _, ...held } = note;
      return { ...attempt, held: [...attempt.held, held] };
    }
    case 'spent': {
      const counted = addSpending(attempt.counted, note);
      const held = attempt.held.filter(({ call }) => !note.settled.includes(call));
      return { ...attempt, counted, held, usage: chooseUsage(null, counted, attempt.isResumed) };
    }
    case 'over-budget':
      return { ...attempt, raise: namedRaise(note) ?? null, raised: raisedCap(note) };
    case 'anomaly':
      return { ...attempt, anomalies: addAnomaly(attempt.anomalies, note, at) };
    case 'call-held': {
      const { kind: _, ...heldCall } = note;
      return { ...attempt, heldCall };
    }
    case 'session':
    case 'not-committed':
    case 'quota':
    case 'removed':
    case 'turn':
    case 'message-seen':
    case 'detector-defect':
    case 'pace':
    case 'report-failed':
    case 'gateway-failed':
    case 'takeover-ended':
    case 'login-expires':
    case 'recorded':
      return attempt;
  }
}

function addSpending(
  previous: Counted | null,
  note: Extract<Note<'attempt'>, { kind: 'spent' }>,
): Counted {
  return {
    tokens: (previous?.tokens ?? 0) + note.tokens,
    inputTokens: sum(previous?.inputTokens, note.inputTokens),
    outputTokens: sum(previous?.outputTokens, note.outputTokens),
    costUsd: (note.unpriced ?? 0) === 0 ? sum(previous?.costUsd, note.usd) : null,
  };
}

/** Null: a part is not known, so the sum is not known either. */
function sum(previous: number | null | undefined, more: number | undefined): number | null {
  return previous === null || more === undefined ? null : (previous ?? 0) + more;
}

/**
 * The gateway's count goes first, because it covers exactly the calls of this attempt. A CLI leaves out its
 * subagents, and the cost that it reports for a resumed conversation includes all earlier attempts.
 */
function chooseUsage(
  reported: NonNullable<AttemptFacts['usage']> | null,
  counted: Counted | null,
  isResumed: boolean,
): UsageRecord {
  // Some CLIs report 0 if they know no price; tokens that cost nothing do not exist.
  const costUsd = counted?.costUsd ?? (isResumed ? null : reported?.costUsd || null);
  const { inputTokens = null, outputTokens = null } = reported ?? {};
  const tokens =
    counted?.inputTokens == null && counted?.outputTokens == null
      ? { inputTokens, outputTokens, tokensFrom: sourceIfKnown('cli', reported !== null) }
      : { ...pickTokens(counted), tokensFrom: 'gateway' as const };
  const costFrom = sourceIfKnown(counted?.costUsd == null ? 'cli' : 'gateway', costUsd !== null);
  return { ...tokens, costUsd, costFrom };
}

function pickTokens({ inputTokens, outputTokens }: Counted) {
  return { inputTokens, outputTokens };
}

function sourceIfKnown(source: UsageSource, isKnown: boolean): UsageSource | null {
  return isKnown ? source : null;
}

export function endAttempt(
  attempt: AttemptHistory,
  end: CommandEnd<'attempt'>,
  at: number,
): AttemptHistory {
  const ended = { ...attempt, heldCall: null, endedAt: at };
  switch (end.kind) {
    case 'interrupted':
      return interruptedAttempt(ended);
    case 'defect':
      return {
        ...ended,
        end: 'failed',
        failure: simpleFailure('crashed', `Internal error: ${end.message}`),
      };
    case 'done':
      return withOutcome(ended, end.result);
  }
}

/** The real cost of its open calls is unknown: they count with their maximum cost. */
function interruptedAttempt(attempt: AttemptHistory): AttemptHistory {
  const { held } = attempt;
  const words = 'It was interrupted: the owner ended.';
  const lost = {
    ...attempt,
    end: 'interrupted',
    failure: simpleFailure('interrupted', words),
  } as const;
  if (held.length === 0) return lost;
  const total = (limit: 'tokens' | 'usd'): number => held.reduce((all, one) => all + one[limit], 0);
  const [tokens, usd] = [total('tokens'), total('usd')];
  const calls = plural(held.length, 'model call was', 'model calls were');
  const isUnpriced = held.some(({ unpriced }) => unpriced === true);
  const price = isUnpriced ? 'at an unknown price' : `for ${dollars(usd, 4)}`;
  const cost = `${calls} open, counted as ${plural(tokens, 'token')} ${price}.`;
  const previous = attempt.counted ?? {
    tokens: 0,
    inputTokens: null,
    outputTokens: null,
    costUsd: 0,
  };
  const all = {
    ...previous,
    tokens: previous.tokens + tokens,
    costUsd: isUnpriced ? null : sum(previous.costUsd, usd),
  };
  return {
    ...lost,
    held: [],
    counted: all,
    usage: chooseUsage(null, all, attempt.isResumed),
    failure: simpleFailure('interrupted', `${words} ${cost}`),
  };
}

function withOutcome(attempt: AttemptHistory, outcome: AttemptOutcome): AttemptHistory {
  const { counted, isResumed } = attempt;
  if (outcome.kind === 'stopped')
    return { ...attempt, end: 'stopped', usage: chooseUsage(null, counted, isResumed) };
  const known = {
    ...attempt,
    exit: outcome.exit ?? (outcome.kind === 'completed' ? 0 : null),
    usage: chooseUsage(outcome.usage ?? null, counted, isResumed),
  };
  if (outcome.kind === 'completed') return { ...known, end: 'completed', summary: outcome.summary };
  return { ...known, end: 'failed', failure: toFailureRecord(outcome) };
}

/** A gate checks the work of the last attempt. */
export function addGate(
  attempts: readonly AttemptHistory[],
  gate: GateRecord,
): readonly AttemptHistory[] {
  const last = attempts.at(-1);
  if (last === undefined) return attempts;
  return [...attempts.slice(0, -1), { ...last, gates: [...last.gates, gate] }];
}
