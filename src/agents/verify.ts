/** A round of checks: all commitments, every time the agent reports that it is done. */
import { plural } from '../base/text.ts';
import { restartWorthOfFailedTests } from '../monitors/restart-worthy.ts';
import type { CommitmentCheck } from './commitments.ts';
import { judgeRound } from './commitments.ts';
import { afterDone } from './fold-done.ts';
import type { AgentProgramState, Phase } from './agent-state.ts';
import { update } from './agent-state.ts';
import { askPerson, startWork } from './transitions.ts';
import { failedChecksPrompt } from './agent-prompts.ts';
import type { GateInput } from '../protocol/contracts/gate-contract.ts';
import type { CommandEnd } from '../protocol/commands.ts';

const FAILURES_MAX = 1000;

/** The next check of the round; undefined: all were run. */
export function nextCheck(
  { pinned, turn, work, setup }: AgentProgramState,
  { checks }: Extract<Phase, { kind: 'verify' }>,
): GateInput | undefined {
  const next = work.commitments[checks.length];
  if (next === undefined) return undefined;
  const { attempt, project } = pinned;
  const { outcome } = setup;
  return {
    name: next.description,
    command: [...next.assertion],
    timeoutMs: next.timeoutMs,
    project,
    attempt: turn.last?.number ?? 0,
    sandbox: attempt.sandbox,
    unsafe: attempt.unsafe === true,
    ...(outcome?.kind === 'ready' ? { setupKey: outcome.key } : {}),
  };
}

export function afterCheck(
  before: AgentProgramState,
  phase: Extract<Phase, { kind: 'verify' }>,
  end: CommandEnd<'gate'>,
): AgentProgramState {
  const { commitments } = before.work;
  const interruptions = phase.interruptions + 1;
  if (end.kind === 'interrupted' && interruptions <= before.pinned.attempt.interruptionsMax)
    return update(before, { phase: { ...phase, interruptions } });
  const timeoutMs = commitments[phase.checks.length]?.timeoutMs ?? 0;
  const checks = [...phase.checks, readCheck(end, timeoutMs)];
  if (checks.length < commitments.length)
    return update(before, { phase: { kind: 'verify', checks, interruptions: 0 } });
  const { verdict, commitments: judged } = judgeRound(commitments, checks);
  const state = update(before, { work: { commitments: judged } });
  if (verdict.kind !== 'not-yet')
    return afterDone(state, verdict.kind === 'complete' ? 'succeeded' : 'unverified');
  const { failures } = verdict;
  const redRounds = state.streaks.redRounds + 1;
  const news = failedChecksPrompt(failures);
  if (restartWorthOfFailedTests(redRounds) === 'restart')
    return startWork(update(state, { streaks: { redRounds } }), news);
  const question = `${state.pinned.agent.name} reported that it is done, but its checks failed ${plural(redRounds, 'time')}: ${failures.join('; ').slice(0, FAILURES_MAX)}`;
  const choices = ['continue', 'restart', 'dismiss'];
  return askPerson(update(state, { streaks: { redRounds: 0 } }), {
    ...{ question, choices, about: 'trouble', news, onRestart: 'keep' },
  });
}

/** Only a verdict can pass: an end without one counts as a check that could not be run. */
function readCheck(end: CommandEnd<'gate'>, timeoutMs: number): CommitmentCheck {
  if (end.kind === 'interrupted')
    return { kind: 'unable', why: 'it was interrupted: the owner ended' };
  if (end.kind === 'defect') return { kind: 'unable', why: `internal error: ${end.message}` };
  const outcome = end.result;
  switch (outcome.kind) {
    case 'passed':
      return { kind: 'exited', code: 0, tail: '' };
    case 'unable':
      return { kind: 'unable', why: outcome.why };
    case 'failed': {
      const { exit, tail, timedOut } = outcome;
      if (timedOut === true) return { kind: 'timed-out', afterMs: timeoutMs };
      if (exit !== null) return { kind: 'exited', code: exit, tail };
      return { kind: 'unable', why: tail === '' ? 'it did not exit by itself' : tail };
    }
  }
}
