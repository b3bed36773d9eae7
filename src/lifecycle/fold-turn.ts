/** What follows the end of a turn. */
import type { AttemptOutcome } from '../attempts/attempt.ts';
import { moneyQuestion } from '../attempts/decide.ts';
import { isAboutMoney } from '../attempts/failure.ts';
import { endOf } from '../attempts/history.ts';
import type { FailedEnd } from '../attempts/history.ts';
import type { Said } from '../attempts/said.ts';
import { policyOf } from '../attempts/presets.ts';
import { isRefusedSession } from '../attempts/session.ts';
import type { CommandEnd } from '../protocol/event.ts';
import { worthOf } from '../monitors/worth.ts';
import { claimOf } from './claim.ts';
import { cutBy } from './cutting.ts';
import { posted, toldAbove } from './escalating.ts';
import { afterDone } from './fold-done.ts';
import type { Change, LifeState } from './life-state.ts';
import { rests } from './resting.ts';
import { asks, become, fails, newsIn, works } from './turning.ts';
import { NOBODY, NO_IDLING } from './words.ts';

/** Turns in a row that ended without a word of what comes next. */
const SILENT_MAX = 3;
/** So long a limit is assumed to last whose end nobody knows; it doubles up to the bound. */
const ASSUMED_MS = 60_000;
const ASSUMED_MAX_MS = 900_000;
/** In characters. */
const SUMMARY_MAX = 2000;

export function afterTurn(state: LifeState, end: CommandEnd, atMs: number): Change {
  if (end.kind === 'lost') return afterLoss(state);
  if (end.kind === 'defect') return crashes(state, `a fault of ours: ${end.message}`);
  const outcome = end.result as unknown as AttemptOutcome;
  const named = outcome.kind === 'stopped' ? null : (outcome.session ?? null);
  const session = named ?? state.session;
  const known: Change = { session, lost: 0 };
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
      const failed = endOf(outcome);
      if (failed.kind !== 'failed') return known;
      return { ...known, ...afterFailure(now, failed, named ?? state.turn?.session ?? null, atMs) };
    }
  }
}

/** It goes on in its own conversation; no restart is counted. */
function afterLoss(state: LifeState): Change {
  const lost = state.lost + 1;
  if (lost <= state.settings.lostMax) return { lost, interrupted: true };
  return crashes(state, `its turn was lost ${lost} times with its owner`);
}

/** A conversation in which it has failed twice in a row may be what is broken. */
function crashes(state: LifeState, reason: string, isTooLong = false): Change {
  const failures = state.failures + 1;
  const isWorn = state.turn?.resumed === true && failures > 1;
  const { workspace } = state.life.cut;
  const forgets = isTooLong || isWorn;
  return { failures, ...fails(state, reason, { workspace: workspace.crashed, forgets }) };
}

function completed(state: LifeState, summary: string, said: Said | undefined): Change {
  const item = state.item === null ? null : { ...state.item, isNew: false };
  const rested: Change = { failures: 0, limits: 0, restingSince: null, summary, item };
  const noted = { ...rested, ...withNotes(state, said?.notes ?? []) };
  const now = { ...state, ...noted };
  const claim = claimOf(said?.last ?? '');
  const quiet: Change = { ...noted, silent: 0, asked: 0 };
  if (claim.kind === 'abort') {
    const heard: LifeState = { ...now, phase: { kind: 'turn', news: null } };
    return { ...quiet, ...cutBy(heard, { kind: 'asks-to-abort', reason: claim.reason }) };
  }
  // What came meanwhile may change what is to be done, whatever it says of that.
  if (now.inbox.length > 0) return { ...quiet, ...works(now, null) };
  if (claim.kind === 'done') return { ...quiet, ...verifies(now) };
  if (claim.kind === 'waiting' && !state.life.flags.perseverance)
    return { ...quiet, ...become(now, 'waiting-wakeup'), phase: { kind: 'wakeup' } };
  const silent = state.silent + 1;
  if (silent <= SILENT_MAX)
    return { ...noted, silent, ...works(now, claim.kind === 'waiting' ? NO_IDLING : null) };
  const question = `${state.life.name} has ended ${silent} turns without saying that it is done. What should it do? Its last words: ${summary}`;
  const open = { choices: null, about: 'input', news: null, onRestart: 'keep' } as const;
  return { ...noted, silent: 0, ...asks(now, { question, ...open }) };
}

/** Whoever promised nothing is done, and nobody can say more. */
function verifies(state: LifeState): Change {
  const verifying = become(state, 'verifying');
  if (state.commitments.length > 0)
    return { ...verifying, phase: { kind: 'verify', checks: [], lost: 0 } };
  return afterDone({ ...state, ...verifying }, 'unverified');
}

function withNotes(state: LifeState, notes: readonly string[]): Change {
  const outbox = notes.reduce(
    (letters, note) =>
      posted({ ...state, outbox: letters }, 'parent', `NOTE from ${state.life.name}: ${note}`),
    state.outbox,
  );
  return { outbox, notes: state.notes + notes.length };
}

function afterFailure(
  state: LifeState,
  end: FailedEnd,
  session: string | null,
  atMs: number,
): Change {
  const { reason, message } = end;
  const { name } = state.life;
  // The same turn is begun afresh, with all that there is to say; no life is lost by that.
  if (isRefusedSession({ resumed: state.turn?.resumed === true, session }, reason))
    return { session: null };
  if (end.coolsDown || reason === 'overloaded') return limited(state, end, atMs);
  const news = newsIn(state.phase);
  if (isAboutMoney(reason)) {
    const question = `${name}: ${moneyQuestion(end)}`;
    const choices = ['continue', 'stop'];
    return asks(state, { question, choices, about: 'budget', news, onRestart: 'keep' });
  }
  if (reason === 'needs_input') return afterQuestion(state, message);
  if (worthOf(reason) === 'restart')
    return crashes(state, `${reason}: ${message}`, reason === 'context_overflow');
  const what = `can't go on (${reason}): ${message}`;
  const choices = ['continue', 'dismiss'] as const;
  const told = toldAbove(state, { kind: reason, what: `${name} ${what}`, choices }, atMs);
  const question = `${name} ${what}`;
  const asked = { question, choices, about: 'trouble', news, onRestart: 'keep' } as const;
  return { ...told, ...asks({ ...state, ...told }, asked) };
}

/** Once it decides by itself, unless somebody is there; then a person is asked. */
function afterQuestion(state: LifeState, question: string): Change {
  const asked = state.asked + 1;
  const news = newsIn(state.phase);
  if (asked === 1 && !state.life.flags.userPresent)
    return { asked, ...works(state, news === null ? NOBODY : `${NOBODY}\n\n${news}`) };
  const open = { choices: null, about: 'input', onRestart: 'keep' } as const;
  const asking = `${state.life.name} asks: ${question}`;
  return { asked: 0, ...asks(state, { question: asking, news, ...open }) };
}

/** How long it may take: as the provider says, or as it is assumed. */
function limited(state: LifeState, end: FailedEnd, atMs: number): Change {
  const { cooldownMs } = policyOf(state.settings.recovery);
  const limits = state.limits + 1;
  const assumed = end.coolsDown
    ? cooldownMs
    : Math.min(ASSUMED_MS * 2 ** Math.min(limits - 1, 10), ASSUMED_MAX_MS);
  const until = end.resetAt ?? atMs + assumed;
  return { limits, ...rests(state, { until, reason: end.message, cools: end.coolsDown }, atMs) };
}
