/** A round of checks: all that was promised, every time that it says it is done. */
import type { GateInput } from '../attempts/gate-outcome.ts';
import { restartWorthOfFailedTests } from '../monitors/restart-worthy.ts';
import type { CommandEnd } from '../protocol/event.ts';
import { defaultSettings } from '../settings/settings.ts';
import type { CommitmentCheck } from './commitments.ts';
import { judgeRound } from './commitments.ts';
import { afterDone } from './fold-done.ts';
import type { AgentStateChange, AgentProgramState, Phase } from './agent-state.ts';
import { askPerson, startWork } from './transitions.ts';
import { failedChecksPrompt } from './agent-prompts.ts';

const FAILURES_MAX = 1000;

/** The next check of the round; undefined: there is none. */
export function nextCheck(
  { settings, project, turn, commitments, setup }: AgentProgramState,
  { checks }: Extract<Phase, { kind: 'verify' }>,
): GateInput | undefined {
  const next = commitments[checks.length];
  if (next === undefined) return undefined;
  const { outcome } = setup;
  return {
    name: next.description,
    command: [...next.assertion],
    timeoutMs: next.timeoutMs,
    project,
    attempt: turn?.number ?? 0,
    sandbox: settings.sandbox ?? defaultSettings.sandbox,
    unsafe: settings.unsafe === true,
    ...(outcome?.kind === 'ready' ? { setupKey: outcome.key } : {}),
  };
}

export function afterCheck(
  state: AgentProgramState,
  phase: Extract<Phase, { kind: 'verify' }>,
  end: CommandEnd,
): AgentStateChange {
  const { commitments, settings } = state;
  const lost = phase.lost + 1;
  if (end.kind === 'lost' && lost <= settings.lostMax) return { phase: { ...phase, lost } };
  const timeoutMs = commitments[phase.checks.length]?.timeoutMs ?? 0;
  const checks = [...phase.checks, checkOf(end, timeoutMs)];
  if (checks.length < commitments.length) return { phase: { kind: 'verify', checks, lost: 0 } };
  const round = judgeRound(commitments, checks);
  const judged: AgentStateChange = { commitments: round.commitments };
  if (round.verdict.kind !== 'not-yet')
    return { ...judged, ...afterDone({ ...state, ...judged }, verdictOf(round.verdict.kind)) };
  const { failures } = round.verdict;
  const redRounds = state.redRounds + 1;
  if (restartWorthOfFailedTests(redRounds) === 'restart')
    return { ...judged, redRounds, ...startWork(state, failedChecksPrompt(failures)) };
  const question = `${state.life.name} says that it is done, and ${redRounds} times it was not: ${failures.join('; ').slice(0, FAILURES_MAX)}`;
  const choices = ['continue', 'restart', 'dismiss'];
  const news = failedChecksPrompt(failures);
  const asked = askPerson(state, { question, choices, about: 'trouble', news, onRestart: 'keep' });
  return { ...judged, redRounds: 0, ...asked };
}

function verdictOf(kind: 'complete' | 'unverified'): 'succeeded' | 'unverified' {
  return kind === 'complete' ? 'succeeded' : 'unverified';
}

/** Whatever is no verdict is no green one. */
function checkOf(end: CommandEnd, timeoutMs: number): CommitmentCheck {
  if (end.kind === 'lost') return { kind: 'unable', why: 'it was lost with its owner' };
  if (end.kind === 'defect') return { kind: 'unable', why: `a fault of ours: ${end.message}` };
  const { kind, exit, tail, why, timedOut } = end.result;
  const said = typeof tail === 'string' ? tail : '';
  if (kind === 'passed') return { kind: 'exited', code: 0, tail: '' };
  if (kind !== 'failed')
    return { kind: 'unable', why: typeof why === 'string' ? why : 'it was called off' };
  if (timedOut === true) return { kind: 'timed-out', afterMs: timeoutMs };
  if (typeof exit === 'number') return { kind: 'exited', code: exit, tail: said };
  return { kind: 'unable', why: said === '' ? 'it did not end by itself' : said };
}
