/** Decides what follows the end of a turn. */
import { plural } from '../base/text.ts';
import { askAboutBudget } from '../attempts/budget-question.ts';
import { isAboutMoney } from '../failures/failure.ts';
import { shortFailure } from '../attempts/past-attempt.ts';
import { recoveryPolicy } from '../attempts/choice/presets.ts';
import { isSessionRejected } from '../attempts/session-errors.ts';
import { restartWorth } from '../monitors/restart-worthy.ts';
import { applyTrigger } from './apply-trigger.ts';
import { postMessage, notifyAbove } from './escalate.ts';
import { afterDone } from './fold-done.ts';
import type { AgentProgramState } from './agent-state.ts';
import { update } from './agent-state.ts';
import { withOwnCommitments } from './own-commitments.ts';
import { coolDown } from './agent-cooldown.ts';
import { askPerson, failLife, pendingNews, startWork } from './transitions.ts';
import { NO_PERSON_PROMPT, NO_IDLING_PROMPT } from './agent-prompts.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { claimsDone } from './commitments.ts';
import type { ClassifiedFailure, TurnNotes } from '../protocol/contracts/attempt-contract.ts';
import type { CommandEnd } from '../protocol/commands.ts';

/** Turns in a row that ended without a claim. */
const SILENT_MAX = 3;
const KEY_CHOICES = ['continue', 'dismiss'] as const;
/** The assumed duration of a limit without a known end; it doubles up to the bound. */
const ASSUMED_MS = 60_000;
const ASSUMED_MAX_MS = 900_000;
/** In characters. */
const SUMMARY_MAX = 2000;

export function afterTurn(
  before: AgentProgramState,
  end: CommandEnd<'attempt'>,
  atMs: number,
): AgentProgramState {
  if (end.kind === 'interrupted') return afterLoss(before);
  if (end.kind === 'defect') return crash(before, `internal error: ${end.message}`);
  const outcome = end.result;
  const reportedSession = outcome.kind === 'stopped' ? null : (outcome.session ?? null);
  const session = reportedSession ?? before.turn.session;
  const state = update(before, { turn: { session }, streaks: { interruptions: 0 } });
  switch (outcome.kind) {
    case 'completed':
      return afterCompletion(state, outcome.summary.slice(0, SUMMARY_MAX), outcome.turnNotes);
    case 'stopped':
      return crash(state, 'its turn was stopped');
    case 'failed': {
      const session = reportedSession ?? state.turn.last?.session ?? null;
      return afterFailure(state, shortFailure(outcome), session, atMs);
    }
  }
}

/** The turn starts again in the same conversation. This does not count as a restart. */
function afterLoss(state: AgentProgramState): AgentProgramState {
  const interruptions = state.streaks.interruptions + 1;
  if (interruptions <= state.pinned.attempt.interruptionsMax)
    return update(state, { turn: { interrupted: true }, streaks: { interruptions } });
  return crash(state, `its turn was interrupted ${plural(interruptions, 'time')}: the owner ended`);
}

/** A resumed conversation in which the agent has failed twice in a row may be the cause, so it is dropped. */
function crash(
  state: AgentProgramState,
  reason: string,
  { isConversationFull = false }: { readonly isConversationFull?: boolean } = {},
): AgentProgramState {
  const failures = state.streaks.failures + 1;
  const newConversation = isConversationFull || (state.turn.last?.resumed === true && failures > 1);
  const { crashed: workspace } = state.pinned.agent.triggers.workspace;
  return failLife(update(state, { streaks: { failures } }), reason, { workspace, newConversation });
}

function afterCompletion(
  before: AgentProgramState,
  summary: string,
  notes: TurnNotes | undefined,
): AgentProgramState {
  const { item, commitments: existing } = before.work;
  const { commitments, refused } = withOwnCommitments(existing, notes?.commitments ?? []);
  const ended = update(before, {
    turn: { restartNotice: null, interrupted: false, coolingSince: null, summary },
    work: { item: item === null ? null : { ...item, isNew: false }, commitments },
    streaks: { failures: 0, limits: 0 },
  });
  const state = sendNotes(ended, [...(notes?.notes ?? []), ...refused]);
  const claimed = update(state, { streaks: { silent: 0, questions: 0 } });
  const claim = readClaim(notes?.statusLine ?? '');
  if (claim.kind === 'abort')
    return applyTrigger(startWork(claimed, null), { kind: 'asks-to-abort', reason: claim.reason });
  // New messages may change the work, whatever the agent claims.
  if (state.mailbox.inbox.length > 0) return startWork(claimed, null);
  if (claim.kind === 'done') return verify(claimed);
  const { flags, name } = state.pinned.agent;
  if (claim.kind === 'waiting' && !flags.perseverance)
    return update(claimed, { phase: { kind: 'wakeup' } });
  const silent = state.streaks.silent + 1;
  if (silent <= SILENT_MAX)
    return startWork(
      update(state, { streaks: { silent } }),
      claim.kind === 'waiting' ? NO_IDLING_PROMPT : null,
    );
  const question = `${name} has ended ${silent} turns without reporting that it is done. What should it do? Its last message: ${summary}`;
  return askPerson(update(state, { streaks: { silent: 0 } }), {
    ...{ question, choices: null, about: 'input', news: null, onRestart: 'keep' },
  });
}

/** Without commitments there is nothing to check, so the work is done and unverified. */
function verify(state: AgentProgramState): AgentProgramState {
  if (state.work.commitments.length === 0) return afterDone(state, 'unverified');
  return update(state, { phase: { kind: 'verify', checks: [], interruptions: 0 } });
}

function sendNotes(before: AgentProgramState, notes: readonly string[]): AgentProgramState {
  const { name } = before.pinned.agent;
  const state = notes.reduce(
    (sent, note) => postMessage(sent, 'parent', `NOTE from ${name}: ${note}`),
    before,
  );
  return update(state, { mailbox: { notes: before.mailbox.notes + notes.length } });
}

function afterFailure(
  state: AgentProgramState,
  failure: ClassifiedFailure,
  session: string | null,
  atMs: number,
): AgentProgramState {
  const { reason, message } = failure;
  const { name } = state.pinned.agent;
  // The CLI rejected the session: the turn starts again in a new one. This does not count as a restart.
  if (isSessionRejected({ resumed: state.turn.last?.resumed === true, session }, reason))
    return update(state, { turn: { session: null } });
  if (failure.coolsDown || reason === 'overloaded') return afterLimit(state, failure, atMs);
  const news = pendingNews(state.phase);
  if (isAboutMoney(reason)) {
    const { question, choices } = askAboutBudget(failure);
    const about = reason === 'price_unknown' ? 'price' : 'budget';
    return askPerson(state, {
      ...{ question: `${name}: ${question}`, choices, about, news, onRestart: 'keep' },
    });
  }
  if (reason === 'keys_missing')
    return askPerson(state, {
      ...{ question: message, choices: KEY_CHOICES, about: 'keys', news, onRestart: 'keep' },
    });
  if (reason === 'needs_input') return afterQuestion(state, message);
  if (restartWorth(reason) === 'restart')
    return crash(state, `${reason}: ${message}`, {
      isConversationFull: reason === 'context_overflow',
    });
  const question = `${name} can't continue (${reason}): ${message}`;
  const choices = ['continue', 'dismiss'] as const;
  const notified = notifyAbove(state, { kind: reason, what: question, choices }, atMs);
  return askPerson(notified, { question, choices, about: 'trouble', news, onRestart: 'keep' });
}

/** If no person is present, the agent decides the first question by itself. Then a person is asked. */
function afterQuestion(state: AgentProgramState, question: string): AgentProgramState {
  const questions = state.streaks.questions + 1;
  const news = pendingNews(state.phase);
  const { flags, name } = state.pinned.agent;
  if (questions === 1 && !flags.userPresent)
    return startWork(
      update(state, { streaks: { questions } }),
      news === null ? NO_PERSON_PROMPT : `${NO_PERSON_PROMPT}\n\n${news}`,
    );
  const asking = { question: `${name} asks: ${question}`, choices: null, about: 'input' } as const;
  const settled = update(state, { streaks: { questions: 0 } });
  return askPerson(settled, { ...asking, news, onRestart: 'keep' });
}

/** The provider's reset time, or an assumed duration. */
function afterLimit(
  state: AgentProgramState,
  failure: ClassifiedFailure,
  atMs: number,
): AgentProgramState {
  const { cooldownMs } = recoveryPolicy(state.pinned.attempt.recovery);
  const limits = state.streaks.limits + 1;
  const assumed = failure.coolsDown
    ? cooldownMs
    : Math.min(ASSUMED_MS * 2 ** Math.min(limits - 1, 10), ASSUMED_MAX_MS);
  const wait = {
    until: failure.resetAt ?? atMs + assumed,
    reason: failure.message,
    mustRecord: failure.coolsDown,
  };
  return coolDown(update(state, { streaks: { limits } }), wait, atMs);
}

/** What an agent reports about itself in the last line of a turn. Nothing else in its output decides anything. */
type Claim =
  | { readonly kind: 'done' }
  /** It waits for a message. */
  | { readonly kind: 'waiting' }
  /** It asks to be dismissed. */
  | { readonly kind: 'abort'; readonly reason: string }
  | { readonly kind: 'none' };

const REASON_MAX = 1000;

function readClaim(line: string): Claim {
  if (claimsDone(line)) return { kind: 'done' };
  const answer = parseJson(line.trim());
  if (!isRecord(answer)) return { kind: 'none' };
  const { status, reason } = answer;
  if (status === 'waiting') return { kind: 'waiting' };
  if (status !== 'abort') return { kind: 'none' };
  const text = typeof reason === 'string' && reason.trim() !== '' ? reason : 'no reason given';
  return { kind: 'abort', reason: text.slice(0, REASON_MAX) };
}
