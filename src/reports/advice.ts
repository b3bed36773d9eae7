/** What a person can do about a run in its current state, in one sentence. */
import type { AttemptHistory } from './attempt-history.ts';
import type { GateRecord } from './gate-record.ts';
import type { RunHistory } from './run-history.ts';
import { endedBadly } from '../protocol/outcome.ts';
import { adviceToAnswer } from '../protocol/views/answer-advice.ts';
import type { AppliedView } from '../protocol/views/applied-view.ts';
import { isInPlace } from '../protocol/views/applied-view.ts';
import { AGENT_PROGRAM } from '../protocol/long-lived-agent.ts';

/** Null if there is nothing to do. `resumedAs`: the newest run that continues it. */
export function adviceFor(
  history: RunHistory,
  applied: AppliedView | null = null,
  resumedAs: string | null = null,
): string | null {
  const { id, outcome, questions, waits, attempts } = history;
  const question = questions.find(({ endedAt }) => endedAt === null);
  if (outcome === null) {
    if (question !== undefined) return adviceToAnswer(id, question);
    const wait = waits.find(({ endedAt }) => endedAt === null);
    return wait === undefined ? null : `Wait, or retry at once with: supervisor retry-now ${id}`;
  }
  if (isInPlace(applied)) return afterApply(id, applied);
  if (resumedAs !== null && endedBadly(outcome))
    return `It was resumed as ${resumedAs}. See how that went with: supervisor why ${resumedAs}`;
  switch (outcome.kind) {
    case 'succeeded':
      return hasWork(attempts) ? `Apply the work with: supervisor apply ${id}` : null;
    case 'unverified':
      return hasWork(attempts)
        ? `No gate has checked the work. Review it with: supervisor diff ${id}. Apply it with: supervisor apply ${id}`
        : 'No gate has checked the work. Add gates to .supervisor/config.yaml, or find them with: supervisor init';
    case 'cancelled':
    case 'killed':
      // A long-lived agent that has ended can't be resumed. Only its work is left.
      if (history.program === AGENT_PROGRAM)
        return hasWork(attempts) ? `Review its work with: supervisor diff ${id}` : null;
      return `Continue the run with: supervisor resume ${id}`;
    case 'refused':
      if (attempts.length > 0) return afterFailure(history);
      // The reason of a gate that can't run says what to do about it.
      if (history.baseline.length > 0)
        return `Run the task again with a gate that can run. If only this machine lacked something, install it. Then: supervisor resume ${id}`;
      return 'Check what is missing with: supervisor doctor';
    case 'blocked':
      if (history.setup?.failed === true && attempts.length === 0)
        return `If the setup is wrong, correct setup in .supervisor/config.yaml. Then: supervisor trust && supervisor run "…". If only this machine or its network was at fault, continue with: supervisor resume ${id}`;
      return afterFailure(history);
    case 'failed':
    case 'exhausted':
      return afterFailure(history);
  }
}

/** Work that is on a branch or in a commit is the user's: their git undoes it. */
function afterApply(id: string, applied: AppliedView | null): string | null {
  if (applied === null || applied.kind === 'branch' || applied.commit !== null) return null;
  // An undo would be refused, or has nothing to do.
  if (applied.changed === true) return null;
  return `Undo the apply with: supervisor apply --undo ${id}`;
}

/** Whether the last committed state of the work differs from the base. */
export function hasWork(attempts: readonly AttemptHistory[]): boolean {
  return (attempts.findLast(({ kept }) => kept !== null)?.kept?.files ?? 0) > 0;
}

function isRed({ kind, warns }: GateRecord): boolean {
  return (kind === 'failed' || kind === 'unable') && !warns;
}

/** Why a gate could not run is in the reason of the run. An earlier run may have judged the same files. */
function hasOutput({ attempts, baseline }: RunHistory, { name, kind }: GateRecord): boolean {
  if (kind === 'unable') return false;
  const isOf = (one: { readonly name: string }): boolean => one.name === name;
  return (
    attempts.some(({ gates }) => gates.some((one) => isOf(one) && !one.isKnown)) ||
    baseline.some((one) => isOf(one) && !one.isReused)
  );
}

function afterFailure(history: RunHistory): string {
  const { id, cooling, lastAt, attempts } = history;
  const last = attempts.at(-1);
  const resumeCommand = `supervisor resume ${id}`;
  const gate = last?.gates.find((one) => isRed(one));
  if (gate !== undefined)
    return [
      ...(hasOutput(history, gate)
        ? [`Read the output of gate ${gate.name} with: supervisor logs ${id}.`]
        : []),
      ...(hasWork(attempts) ? [`Review the work with: supervisor diff ${id}.`] : []),
      `Continue with: ${resumeCommand}`,
    ].join(' ');
  const agent = last?.agentId ?? 'the agent';
  switch (last?.failure?.reason ?? 'unknown') {
    case 'rate_limited':
    case 'quota_exhausted': {
      const [first] = cooling
        .filter(({ until }) => until > lastAt)
        .toSorted((a, b) => a.until - b.until);
      const when = first === undefined ? '' : ` after ${new Date(first.until).toISOString()}`;
      return `Continue${when} with: ${resumeCommand}. List cooldowns with: supervisor cooldowns`;
    }
    case 'auth':
      return `Log in to ${last?.agentCli ?? agent} again, or give ${agent} a valid key. Then: ${resumeCommand}`;
    case 'model_not_found':
      return `Configure a model for ${agent} that its provider offers. Then: ${resumeCommand}`;
    case 'keys_missing':
      return `Give the run its keys: from a shell that has them, run: ${resumeCommand}`;
    case 'agent_missing':
    case 'start_refused':
    case 'bad_usage':
      return 'Check what this machine lacks with: supervisor doctor';
    case 'output_limit':
      return `Let ${agent} write longer answers (its CLI or model sets the limit), or split the task. Then: ${resumeCommand}`;
    case 'content_filtered':
      return `The provider of ${agent} withheld the answer. Reword the task, or use another provider.`;
    case 'disk_full':
      return `Free some disk space, or raise sandbox.disk. Then: ${resumeCommand}`;
    case 'workspace_denied':
      return `Make the project folder usable for the agent: the reason is above. Then: ${resumeCommand}`;
    case 'bad_prompt':
      return 'Reword the task, and run it again.';
    case 'context_overflow':
      return 'The task is too large. Split it.';
    case 'price_unknown':
      return `Set the price of the model with: supervisor prices set MODEL --input USD --output USD. Then: ${resumeCommand}`;
    case 'budget':
      return `Raise the budget. Then: ${resumeCommand}`;
    case 'needs_input':
      return 'Answer the question of the agent in the task, and run it again.';
    case 'blocked':
    case 'crashed':
    case 'deadline':
    case 'empty_answer':
    case 'gateway_failed':
    case 'interrupted':
    case 'invalid_output':
    case 'killed':
    case 'network':
    case 'oom':
    case 'overloaded':
    case 'unknown':
      return `Read its output with: supervisor logs ${id}. Continue with: ${resumeCommand}`;
  }
}
