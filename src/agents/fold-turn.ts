/** What follows the end of a turn. */
import type { AttemptOutcome } from '../attempts/attempt.ts';
import { askAboutBudget } from '../attempts/decide.ts';
import { isAboutMoney } from '../failures/failure.ts';
import { toPastEnd } from '../attempts/attempt-records.ts';
import type { FailedEnd } from '../attempts/attempt-records.ts';
import type { TurnNotes } from '../attempts/turn-notes.ts';
import { recoveryPolicy } from '../attempts/presets.ts';
import { isSessionRejected } from '../attempts/session-errors.ts';
import type { CommandEnd } from '../protocol/event.ts';
import { restartWorth } from '../monitors/restart-worthy.ts';
import { readClaim } from './status-line-claim.ts';
import { applyTrigger } from './apply-trigger.ts';
import { postMessage, notifyAbove } from './escalate.ts';
import { afterDone } from './fold-done.ts';
import type { AgentStateChange, AgentProgramState } from './agent-state.ts';
import { withOwnCommitments } from './own-commitments.ts';
import { coolDown } from './agent-cooldown.ts';
import { askPerson, enterState, failLife, pendingNews, startWork } from './transitions.ts';
import { NO_PERSON, NO_IDLING_PROMPT } from './agent-prompts.ts';

/** Turns in a row that ended without a word of what comes next. */
const SILENT_MAX = 3;
/** So long a limit is assumed to last whose end nobody knows; it doubles up to the bound. */
const ASSUMED_MS = 60_000;
const ASSUMED_MAX_MS = 900_000;
/** In characters. */
const SUMMARY_MAX = 2000;

export function afterTurn(
  state: AgentProgramState,
  end: CommandEnd,
  atMs: number,
): AgentStateChange {
  if (end.kind === 'lost') return afterLoss(state);
  if (end.kind === 'defect') return crashes(state, `a fault of ours: ${end.message}`);
  const outcome = end.result as unknown as AttemptOutcome;
  const named = outcome.kind === 'stopped' ? null : (outcome.session ?? null);
  const session = named ?? state.session;
  const known: AgentStateChange = { session, lost: 0 };
  const now = { ...state, ...known };
  switch (outcome.kind) {
    case 'completed': {
      const heard = { ...known, restarted: null, interrupted: false };
      const words = end.result['summary'];
      const summary = typeof words === 'string' ? words.slice(0, SUMMARY_MAX) : '';
      return { ...heard, ...completed({ ...now, ...heard }, summary, outcome.said) };
    }
    case 'stopped':
      return { ...known, ...crashes(now, 'its turn was stopped') };
    case 'failed': {
      const failed = toPastEnd(outcome);
      if (failed.kind !== 'failed') return known;
      return { ...known, ...afterFailure(now, failed, named ?? state.turn?.session ?? null, atMs) };
    }
  }
}

/** It goes on in its own conversation; no restart is counted. */
function afterLoss(state: AgentProgramState): AgentStateChange {
  const lost = state.lost + 1;
  if (lost <= state.settings.lostMax) return { lost, interrupted: true };
  return crashes(state, `its turn was lost ${lost} times with its owner`);
}

/** A conversation in which it has failed twice in a row may be what is broken. */
function crashes(state: AgentProgramState, reason: string, isTooLong = false): AgentStateChange {
  const failures = state.failures + 1;
  const isWorn = state.turn?.resumed === true && failures > 1;
  const { workspace } = state.life.cut;
  const forgets = isTooLong || isWorn;
  return { failures, ...failLife(state, reason, { workspace: workspace.crashed, forgets }) };
}

function completed(
  state: AgentProgramState,
  summary: string,
  said: TurnNotes | undefined,
): AgentStateChange {
  const item = state.item === null ? null : { ...state.item, isNew: false };
  const rested: AgentStateChange = { failures: 0, limits: 0, restingSince: null, summary, item };
  const { commitments, refused } = withOwnCommitments(state.commitments, said?.commits ?? []);
  const noted = {
    ...rested,
    commitments,
    ...withNotes(state, [...(said?.notes ?? []), ...refused]),
  };
  const now = { ...state, ...noted };
  const claim = readClaim(said?.last ?? '');
  const quiet: AgentStateChange = { ...noted, silent: 0, asked: 0 };
  if (claim.kind === 'abort') {
    const heard: AgentProgramState = { ...now, phase: { kind: 'turn', news: null } };
    return { ...quiet, ...applyTrigger(heard, { kind: 'asks-to-abort', reason: claim.reason }) };
  }
  // What came meanwhile may change what is to be done, whatever it says of that.
  if (now.inbox.length > 0) return { ...quiet, ...startWork(now, null) };
  if (claim.kind === 'done') return { ...quiet, ...verifies(now) };
  if (claim.kind === 'waiting' && !state.life.flags.perseverance)
    return { ...quiet, ...enterState(now, 'waiting-wakeup'), phase: { kind: 'wakeup' } };
  const silent = state.silent + 1;
  if (silent <= SILENT_MAX)
    return {
      ...noted,
      silent,
      ...startWork(now, claim.kind === 'waiting' ? NO_IDLING_PROMPT : null),
    };
  const question = `${state.life.name} has ended ${silent} turns without saying that it is done. What should it do? Its last words: ${summary}`;
  const open = { choices: null, about: 'input', news: null, onRestart: 'keep' } as const;
  return { ...noted, silent: 0, ...askPerson(now, { question, ...open }) };
}

/** Whoever promised nothing is done, and nobody can say more. */
function verifies(state: AgentProgramState): AgentStateChange {
  const verifying = enterState(state, 'verifying');
  if (state.commitments.length > 0)
    return { ...verifying, phase: { kind: 'verify', checks: [], lost: 0 } };
  return afterDone({ ...state, ...verifying }, 'unverified');
}

function withNotes(state: AgentProgramState, notes: readonly string[]): AgentStateChange {
  const outbox = notes.reduce(
    (letters, note) =>
      postMessage({ ...state, outbox: letters }, 'parent', `NOTE from ${state.life.name}: ${note}`),
    state.outbox,
  );
  return { outbox, notes: state.notes + notes.length };
}

function afterFailure(
  state: AgentProgramState,
  end: FailedEnd,
  session: string | null,
  atMs: number,
): AgentStateChange {
  const { reason, message } = end;
  const { name } = state.life;
  // The same turn is begun afresh, with all that there is to say; no life is lost by that.
  if (isSessionRejected({ resumed: state.turn?.resumed === true, session }, reason))
    return { session: null };
  if (end.coolsDown || reason === 'overloaded') return limited(state, end, atMs);
  const news = pendingNews(state.phase);
  if (isAboutMoney(reason)) {
    const question = `${name}: ${askAboutBudget(end)}`;
    const choices = ['continue', 'stop'];
    return askPerson(state, { question, choices, about: 'budget', news, onRestart: 'keep' });
  }
  if (reason === 'needs_input') return afterQuestion(state, message);
  if (restartWorth(reason) === 'restart')
    return crashes(state, `${reason}: ${message}`, reason === 'context_overflow');
  const what = `can't go on (${reason}): ${message}`;
  const choices = ['continue', 'dismiss'] as const;
  const told = notifyAbove(state, { kind: reason, what: `${name} ${what}`, choices }, atMs);
  const question = `${name} ${what}`;
  const asked = { question, choices, about: 'trouble', news, onRestart: 'keep' } as const;
  return { ...told, ...askPerson({ ...state, ...told }, asked) };
}

/** Once it decides by itself, unless somebody is there; then a person is asked. */
function afterQuestion(state: AgentProgramState, question: string): AgentStateChange {
  const asked = state.asked + 1;
  const news = pendingNews(state.phase);
  if (asked === 1 && !state.life.flags.userPresent)
    return { asked, ...startWork(state, news === null ? NO_PERSON : `${NO_PERSON}\n\n${news}`) };
  const open = { choices: null, about: 'input', onRestart: 'keep' } as const;
  const asking = `${state.life.name} asks: ${question}`;
  return { asked: 0, ...askPerson(state, { question: asking, news, ...open }) };
}

/** How long it may take: as the provider says, or as it is assumed. */
function limited(state: AgentProgramState, end: FailedEnd, atMs: number): AgentStateChange {
  const { cooldownMs } = recoveryPolicy(state.settings.recovery);
  const limits = state.limits + 1;
  const assumed = end.coolsDown
    ? cooldownMs
    : Math.min(ASSUMED_MS * 2 ** Math.min(limits - 1, 10), ASSUMED_MAX_MS);
  const until = end.resetAt ?? atMs + assumed;
  return {
    limits,
    ...coolDown(state, { until, reason: end.message, cools: end.coolsDown }, atMs),
  };
}
