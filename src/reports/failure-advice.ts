/** What a person can change about a run that failed, so that it does not fail in the same way again. */
import { writeDuration } from '../base/write-duration.ts';
import { NO_PROGRESS } from '../protocol/outcome.ts';
import { budgetOption } from '../protocol/views/answer-advice.ts';
import { setPriceCommand } from '../protocol/words/price-command.ts';
import type { AttemptHistory } from './runs/attempt-history.ts';
import type { GateRecord } from './runs/gate-record.ts';
import type { RunHistory } from './runs/run-history.ts';

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

export function adviceAfterFailure(history: RunHistory): string {
  const { attempts } = history;
  const last = attempts.at(-1);
  const gate = last?.gates.find((one) => isRed(one));
  return gate === undefined ? adviceFor(history, last) : afterRedGate(history, gate);
}

function afterRedGate(history: RunHistory, gate: GateRecord): string {
  const { id, attempts } = history;
  return [
    ...(hasOutput(history, gate)
      ? [`Read the output of gate ${gate.name} with: supervisor logs ${id}.`]
      : []),
    ...(hasWork(attempts) ? [`Review the work with: supervisor diff ${id}.`] : []),
    continueAfterRed(history, gate),
  ].join(' ');
}

/** A gate is pinned, so a run that is resumed has the same one. */
function continueAfterRed({ id, outcome, from }: RunHistory, { kind }: GateRecord): string {
  if (kind === 'unable')
    return `If only this machine lacked something, install it. Then: supervisor resume ${id}. If the gate is wrong, run the task again with another one: supervisor run "…" --gate "…"`;
  const isStuck = outcome?.reason.startsWith(NO_PROGRESS) === true || from !== null;
  if (!isStuck) return `Continue with: supervisor resume ${id}`;
  return `Say what to do differently with: supervisor resume ${id} -m "…". Or let another agent continue with: supervisor resume ${id} --agent AGENT. If the gate is wrong, run the task again with another one: supervisor run "…" --gate "…"`;
}

export function giveKeys(id: string): string {
  return `Give the run its keys: from a shell that has them, run: supervisor resume ${id}`;
}

function raiseOption({ limit, cap }: NonNullable<AttemptHistory['raised']>): string {
  if (limit === 'wall') return `--budget-time ${writeDuration(cap)}`;
  return `${budgetOption(limit)} ${cap}`;
}

function adviceFor({ id, cooling, lastAt }: RunHistory, last: AttemptHistory | undefined): string {
  const agent = last?.agentId ?? 'the agent';
  const resumeCommand = `supervisor resume ${id}`;
  const logs = `Read its output with: supervisor logs ${id}.`;
  switch (last?.failure?.reason ?? 'unknown') {
    case 'rate_limited':
    case 'quota_exhausted': {
      const [first] = cooling
        .filter(({ until }) => until > lastAt)
        .toSorted((a, b) => a.until - b.until);
      const when = first === undefined ? '' : ` after ${new Date(first.until).toISOString()}`;
      return `Continue${when} with: ${resumeCommand}. Or let another agent continue with: ${resumeCommand} --agent AGENT. List cooldowns with: supervisor cooldowns`;
    }
    case 'auth':
      return `Log in to ${last?.agentCli ?? agent} again, or give ${agent} a valid key. Then: ${resumeCommand}`;
    case 'model_not_found':
      return `Name a model that the provider of ${agent} offers with: ${resumeCommand} --model MODEL`;
    case 'keys_missing':
      return giveKeys(id);
    case 'agent_missing':
    case 'start_refused':
    case 'bad_usage':
      return `Check what this machine lacks with: supervisor doctor. Then: ${resumeCommand}. Or let another agent continue with: ${resumeCommand} --agent AGENT`;
    case 'output_limit':
      return `Ask for smaller steps with: ${resumeCommand} -m "…". Or let ${agent} write longer answers: its CLI or model sets the limit.`;
    case 'content_filtered':
      return `The provider of ${agent} withheld the answer. Let another agent continue with: ${resumeCommand} --agent AGENT. Or reword the task, and run it again.`;
    case 'disk_full':
      return `Free some disk space, or raise sandbox.disk. Then: ${resumeCommand}`;
    case 'workspace_denied':
      return `Make the project folder usable for the agent: the reason is above. Then: ${resumeCommand}`;
    case 'bad_prompt':
      return 'Reword the task, and run it again.';
    case 'context_overflow':
      return `The task is too large. Split it, or ask for a part of it with: ${resumeCommand} -m "…"`;
    case 'price_unknown':
      return `Set the price of the model with: ${setPriceCommand(last?.failure?.model)}. Then: ${resumeCommand}`;
    case 'budget':
      return last?.raised == null
        ? `Raise the budget that the reason names, under budget in the settings. Then: ${resumeCommand}`
        : `Raise the budget of the whole run with: ${resumeCommand} ${raiseOption(last.raised)}`;
    case 'needs_input':
      return `Answer the question of the agent with: ${resumeCommand} -m "…"`;
    case 'deadline':
      return `${logs} Give it more time with: ${resumeCommand} --deadline ${longer(last?.deadlineMs ?? null)}`;
    case 'blocked':
      return `Remove what blocks the agent: the reason is above. Then say so with: ${resumeCommand} -m "…"`;
    case 'crashed':
    case 'empty_answer':
    case 'gateway_failed':
    case 'interrupted':
    case 'invalid_output':
    case 'killed':
    case 'network':
    case 'oom':
    case 'overloaded':
    case 'unknown':
      return `${logs} Continue with: ${resumeCommand}`;
  }
}

const DEADLINE_MS_MAX = 30 * 86_400_000;

/** Twice the time that was not enough. */
function longer(deadlineMs: number | null): string {
  return deadlineMs === null ? '2h' : writeDuration(Math.min(2 * deadlineMs, DEADLINE_MS_MAX));
}
