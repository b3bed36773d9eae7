/** A run as one value for scripts, as `run --json` prints it. Its keys are a stable interface. */
import { z } from 'zod';
import type { AttemptHistory } from './attempt-history.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { AppliedView } from '../protocol/views/applied-view.ts';
import type { RunHistory } from './run-history.ts';

const Failure = z.strictObject({
  type: z.string().nullable(),
  category: z.string().nullable(),
  recovery: z.string().nullable(),
  reason: z.string(),
  message: z.string(),
  reset_at: z.string().nullable(),
  evidence: z.array(z.strictObject({ source: z.string(), line: z.string(), rule: z.string() })),
});

const UsageFrom = z.enum(['cli', 'gateway']).nullable();

const Attempt = z.strictObject({
  number: z.int(),
  agent_id: z.string(),
  agent_cli: z.string(),
  /**
   * The exit code as a shell reports it. Null: it has not ended, never started, or its end was not
   * seen.
   */
  exit_code: z.int().nullable(),
  failure: Failure.nullable(),
  sandbox: z.strictObject({ backend: z.string().nullable(), container_id: z.string().nullable() }),
  usage: z.strictObject({
    input_tokens: z.number().nullable(),
    output_tokens: z.number().nullable(),
    cost_usd: z.number().nullable(),
    /** The source: the agent's CLI, or our gateway, which counts its calls. */
    source: z.strictObject({ tokens: UsageFrom, cost: UsageFrom }),
  }),
  started_at: z.string(),
  ended_at: z.string().nullable(),
});

export const RunResult = z.strictObject({
  run_id: z.string(),
  /** How it ended, or what it is doing. */
  state: z.string(),
  exit_code: z.int().nullable(),
  /** Why the run did not succeed. Null: it did, or has not ended. */
  error: z.string().nullable(),
  artifacts: z.array(z.string()),
  /** Where the work is. Without a workspace of its own it is in the project itself. */
  workspace: z.strictObject({
    root: z.string(),
    base: z.string().nullable(),
    branch: z.string().nullable(),
  }),
  /** How the work came into the project. Null: it was not applied. */
  applied: z
    .strictObject({
      kind: z.enum(['files', 'branch']),
      at: z.string(),
      files: z.int(),
      branch: z.string().nullable(),
      commit: z.string().nullable(),
      undone_at: z.string().nullable(),
    })
    .nullable(),
  metadata: z.strictObject({
    agent_used: z.string().nullable(),
    agent_id: z.string().nullable(),
    retry_count: z.int(),
    fallback_count: z.int(),
    fallback_used: z.boolean(),
    total_attempts: z.int(),
    switches: z.int(),
    same_identity_retries: z.int(),
  }),
  attempts: z.array(Attempt),
  /** What limits the proof: gates that are not protected, and tests of the base that the work touches. */
  caveats: z.array(z.string()),
  cooling: z.array(z.strictObject({ agent_id: z.string(), until: z.string(), reason: z.string() })),
});
export type RunResult = z.infer<typeof RunResult>;

/** The parts of the result that the history does not contain. */
export type ResultContext = {
  readonly state: string;
  readonly exitCode: number | null;
  readonly artifacts: readonly string[];
  readonly applied?: AppliedView | null;
};

export function runResult(history: RunHistory, context: ResultContext): RunResult {
  const { id, outcome, attempts, project, lastAt } = history;
  const kept = attempts.findLast((one) => one.kept !== null)?.kept;
  return {
    run_id: id,
    state: context.state,
    exit_code: context.exitCode,
    error: outcome === null || isGoodOutcome(outcome) ? null : outcome.reason,
    artifacts: [...context.artifacts],
    workspace: {
      root: kept?.root ?? project,
      base: kept?.base ?? null,
      branch: kept?.ref ?? null,
    },
    applied: appliedResult(context.applied ?? null),
    metadata: toMetadata(attempts, history.earlier.attempts),
    attempts: attempts.map(attemptResult),
    caveats: [...new Set((attempts.at(-1)?.gates ?? []).flatMap(({ caveats }) => caveats))],
    cooling: history.cooling
      .filter(({ until }) => until > lastAt)
      .map(({ agentId, until, reason }) => ({ agent_id: agentId, until: iso(until), reason })),
  };
}

function appliedResult(applied: AppliedView | null): RunResult['applied'] {
  if (applied === null) return null;
  const { kind, at, files, branch, commit, undone } = applied;
  return {
    kind,
    at: iso(at),
    files,
    branch,
    commit,
    undone_at: undone === null ? null : iso(undone),
  };
}

function isGoodOutcome({ kind }: RunOutcome): boolean {
  return kind === 'succeeded' || kind === 'unverified';
}

function toMetadata(attempts: readonly AttemptHistory[], earlier: number): RunResult['metadata'] {
  const pairs = attempts.slice(1).map((one, index) => one.identity === attempts[index]?.identity);
  const switches = pairs.filter((isSame) => !isSame).length;
  const last = attempts.at(-1);
  return {
    agent_used: last?.agentCli ?? null,
    agent_id: last?.agentId ?? null,
    retry_count: Math.max(0, earlier + attempts.length - 1),
    fallback_count: switches,
    fallback_used: switches > 0,
    total_attempts: earlier + attempts.length,
    switches,
    same_identity_retries: pairs.length - switches,
  };
}

function attemptResult(attempt: AttemptHistory): RunResult['attempts'][number] {
  const { failure, sandbox, usage, endedAt } = attempt;
  return {
    number: attempt.number,
    agent_id: attempt.agentId,
    agent_cli: attempt.agentCli,
    exit_code: attempt.exit,
    failure:
      failure === null
        ? null
        : {
            type: failure.type,
            category: failure.category,
            recovery: failure.recovery,
            reason: failure.reason,
            message: failure.message,
            reset_at: failure.resetAt === null ? null : iso(failure.resetAt),
            evidence: failure.evidence.map(({ source, line, rule }) => ({ source, line, rule })),
          },
    sandbox: { backend: sandbox.backend, container_id: sandbox.containerId },
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
      source: { tokens: usage.tokensFrom, cost: usage.costFrom },
    },
    started_at: iso(attempt.startedAt),
    ended_at: endedAt === null ? null : iso(endedAt),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
