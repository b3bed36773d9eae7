/** One attempt of a run as its facts tell it. What an older release did not write down is null. */
import { isRecord } from '../base/json.ts';
import type { CommandEnd } from '../protocol/event.ts';
import { caveatsOf, redByReport, testsCounted } from '../protocol/gate-caveats.ts';

export type Evidence = { readonly source: string; readonly line: string; readonly rule: string };

export type FailureRecord = {
  readonly type: string | null;
  readonly category: string | null;
  readonly recovery: string | null;
  readonly reason: string;
  readonly message: string;
  readonly resetAt: number | null;
  readonly evidence: readonly Evidence[];
};

export type GateRecord = {
  readonly name: string;
  readonly kind: 'passed' | 'failed' | 'unable';
  /** Its exit code, or why it could not run; empty where it passed. */
  readonly words: string;
  /** The last of what it said. */
  readonly tail: string;
  readonly at: number;
  /** Whether a red one has failed nothing. */
  readonly warns: boolean;
  /** What limits its proof. */
  readonly caveats: readonly string[];
};

export type CommittedRecord = {
  readonly root: string;
  readonly base: string | null;
  readonly ref: string | null;
  readonly files: number;
};

/** Who has said what was used: the agent's own CLI, or our gateway, through which its calls went. */
export type UsageSource = 'cli' | 'gateway';

export type UsageRecord = {
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
  readonly number: number;
  readonly agentId: string;
  readonly agentCli: string;
  /** Two attempts with the same one are of the same agent, whatever its name. */
  readonly identity: string;
  /** The attempt continues a conversation of an earlier attempt. */
  readonly isResumed: boolean;
  /** Why there was this attempt, in the words of the decision. */
  readonly why: Readonly<Record<string, unknown>> & { readonly kind: string };
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly sandbox: { readonly backend: string | null; readonly containerId: string | null };
  readonly usage: UsageRecord;
  /** What the gateway has counted so far, call by call; null: it sees none. */
  readonly counted: Counted | null;
  /** What its calls that are under way may cost. */
  readonly held: readonly {
    readonly call: number;
    readonly tokens: number;
    readonly usd: number;
  }[];
  readonly exit: number | null;
  readonly end: 'completed' | 'failed' | 'stopped' | 'lost' | null;
  /** What the agent said of its work in the end. */
  readonly summary: string | null;
  readonly failure: FailureRecord | null;
  readonly kept: CommittedRecord | null;
  readonly gates: readonly GateRecord[];
};

type Fields = Readonly<Record<string, unknown>>;

export function newAttemptHistory(
  key: string,
  input: Fields,
  nth: number,
  at: number,
): AttemptHistory {
  const agent = isRecord(input['agent']) ? input['agent'] : {};
  const why = isRecord(input['why']) ? input['why'] : {};
  const first = nth === 1 ? 'first' : 'again';
  return {
    key,
    number: nth,
    agentId: text(agent['id']) ?? 'an agent',
    agentCli: text(agent['cli']) ?? 'unknown',
    identity: JSON.stringify([agent['cli'], agent['configDir'], agent['args'], agent['model']]),
    isResumed: text(input['resume']) !== null,
    why: { ...why, kind: text(why['kind']) ?? first },
    startedAt: at,
    endedAt: null,
    sandbox: { backend: null, containerId: null },
    usage: NO_USAGE,
    counted: null,
    held: [],
    exit: null,
    end: null,
    summary: null,
    failure: null,
    kept: null,
    gates: [],
  };
}

export function noteAttempt(attempt: AttemptHistory, note: Fields): AttemptHistory {
  switch (note['kind']) {
    case 'started': {
      const sandbox = { backend: text(note['sandbox']), containerId: text(note['container']) };
      return { ...attempt, sandbox };
    }
    case 'kept': {
      const { root, base, ref, files } = note;
      const kept = { root: String(root), base: text(base), ref: text(ref), files: Number(files) };
      return { ...attempt, kept };
    }
    case 'reserved': {
      const { call, tokens, usd } = note;
      const one = { call: Number(call), tokens: number(tokens) ?? 0, usd: number(usd) ?? 0 };
      return { ...attempt, held: [...attempt.held, one] };
    }
    case 'spent': {
      const counted = addedTo(attempt.counted, note);
      const settled = Array.isArray(note['settled']) ? note['settled'] : [];
      const held = attempt.held.filter(({ call }) => !settled.includes(call));
      return { ...attempt, counted, held, usage: chooseUsage({}, counted, attempt.isResumed) };
    }
    default:
      return attempt;
  }
}

function addedTo(before: Counted | null, note: Fields): Counted {
  const isPriced = (number(note['unpriced']) ?? 0) === 0;
  return {
    tokens: (before?.tokens ?? 0) + (number(note['tokens']) ?? 0),
    inputTokens: sum(before?.inputTokens, note['inputTokens']),
    outputTokens: sum(before?.outputTokens, note['outputTokens']),
    costUsd: isPriced ? sum(before?.costUsd, note['usd']) : null,
  };
}

/** Null: some of it is not known, so neither is the whole. */
function sum(was: number | null | undefined, more: unknown): number | null {
  return was === null || typeof more !== 'number' ? null : (was ?? 0) + more;
}

/**
 * The gateway's count goes first, because it covers exactly the calls of this attempt. A CLI leaves out its
 * subagents, and the cost that it reports for a resumed conversation includes all earlier attempts.
 */
function chooseUsage(reported: Fields, counted: Counted | null, isResumed: boolean): UsageRecord {
  const [input, output] = [number(reported['inputTokens']), number(reported['outputTokens'])];
  const hasTokens = input !== null || output !== null;
  // Some CLIs report 0 if they know no price; tokens that cost nothing do not exist.
  const free = hasTokens ? number(reported['costUsd']) || null : number(reported['costUsd']);
  const costUsd = counted?.costUsd ?? (isResumed ? null : free);
  const tokens =
    counted?.inputTokens == null && counted?.outputTokens == null
      ? { inputTokens: input, outputTokens: output, tokensFrom: from('cli', hasTokens) }
      : { ...pickTokens(counted), tokensFrom: 'gateway' as const };
  const costFrom = from(counted?.costUsd == null ? 'cli' : 'gateway', costUsd !== null);
  return { ...tokens, costUsd, costFrom };
}

function pickTokens({ inputTokens, outputTokens }: Counted) {
  return { inputTokens, outputTokens };
}

function from(source: UsageSource, isKnown: boolean): UsageSource | null {
  return isKnown ? source : null;
}

export function endAttempt(attempt: AttemptHistory, end: CommandEnd, at: number): AttemptHistory {
  const ended = { ...attempt, endedAt: at };
  switch (end.kind) {
    case 'lost':
      return lostAttempt(ended);
    case 'defect':
      return {
        ...ended,
        end: 'failed',
        failure: plain('crashed', `A fault of ours: ${end.message}`),
      };
    case 'done':
      return outcomeOf(ended, end.result);
  }
}

/** The real cost of its open calls is unknown: they count with their maximum cost. */
function lostAttempt(attempt: AttemptHistory): AttemptHistory {
  const { held } = attempt;
  const words = 'It died with its owner.';
  const lost = { ...attempt, end: 'lost', failure: plain('lost', words) } as const;
  if (held.length === 0) return lost;
  const total = (limit: 'tokens' | 'usd'): number => held.reduce((all, one) => all + one[limit], 0);
  const [tokens, usd] = [total('tokens'), total('usd')];
  const calls = held.length === 1 ? 'One model call was' : `${held.length} model calls were`;
  const said = `${calls} under way, and counted as ${tokens} tokens for $${usd.toFixed(4)}.`;
  const before = attempt.counted ?? {
    tokens: 0,
    inputTokens: null,
    outputTokens: null,
    costUsd: 0,
  };
  const all = { ...before, tokens: before.tokens + tokens, costUsd: sum(before.costUsd, usd) };
  return {
    ...lost,
    held: [],
    counted: all,
    usage: chooseUsage({}, all, attempt.isResumed),
    failure: plain('lost', `${words} ${said}`),
  };
}

function outcomeOf(attempt: AttemptHistory, result: Fields): AttemptHistory {
  const { kind, usage, exit, summary } = result;
  const used = isRecord(usage) ? usage : {};
  const told = {
    ...attempt,
    exit: number(exit) ?? (kind === 'completed' ? 0 : null),
    usage: chooseUsage(used, attempt.counted, attempt.isResumed),
  };
  if (kind === 'completed') return { ...told, end: 'completed', summary: text(summary) };
  if (kind === 'stopped') return { ...told, end: 'stopped' };
  return { ...told, end: 'failed', failure: failureOf(result) };
}

function failureOf(result: Fields): FailureRecord {
  const found = isRecord(result['failure']) ? result['failure'] : {};
  const reason = text(result['reason']) ?? 'unknown';
  const message = text(result['message']) ?? reason;
  const evidence = Array.isArray(found['evidence'])
    ? (found['evidence'] as readonly Evidence[])
    : [];
  return {
    type: text(found['type']),
    category: text(found['category']),
    recovery: text(found['recovery']),
    reason,
    message,
    resetAt: number(found['resetAt']),
    evidence,
  };
}

function plain(reason: string, message: string): FailureRecord {
  const machine = reason === 'lost' ? ['container_crash', 'cli_error', 'transient'] : [];
  const [type = null, category = null, recovery = null] = machine;
  return { type, category, recovery, reason, message, resetAt: null, evidence: [] };
}

/** Undefined: the command is not a gate. A gate that could not run to its end is red. */
export function gateRecord(key: string, end: CommandEnd, at: number): GateRecord | undefined {
  if (!key.startsWith('gate-')) return undefined;
  if (end.kind !== 'done') {
    const words = end.kind === 'lost' ? 'it died with its owner' : end.message;
    return { name: key, kind: 'unable', words, tail: '', at, warns: false, caveats: [] };
  }
  const { name, kind, exit, tail, why } = end.result;
  const warns = end.result['warns'] === true;
  const caveats = caveatsOf(text(name) ?? key, end.result);
  const gate = { name: text(name) ?? key, tail: text(tail) ?? '', at, warns, caveats };
  if (kind === 'passed') return { ...gate, kind, words: testsCounted(end.result) };
  const reported = redByReport(end.result);
  if (kind === 'failed' && reported !== '') return { ...gate, kind, words: reported };
  if (kind === 'failed') return { ...gate, kind, words: `exit ${number(exit) ?? 'by a signal'}` };
  return { ...gate, kind: 'unable', words: text(why) ?? 'it could not run' };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
