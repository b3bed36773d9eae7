/** How each fact changes a long-lived agent. */
import { foldSetup, nextOfSetup } from '../attempts/setup-stage.ts';
import type { CommandEnd, Payload, StoredEvent } from '../protocol/event.ts';
import { afterAnswer, afterMatter, answeredLate, decidedBy } from './fold-answers.ts';
import { afterPut, afterTake, takenIn } from './fold-done.ts';
import { afterSignal } from './fold-signals.ts';
import { afterTurn } from './fold-turn.ts';
import type { Change, LifeState, OpenStep } from './life-state.ts';
import { countOf, isAlive, isMain, MATTER_KEY } from './life-state.ts';
import { setupWish } from './next-life.ts';
import { afterRest, afterSurvey } from './resting.ts';
import { closes, left } from './turning.ts';
import { afterCheck } from './verify.ts';
import { delivered, newsOf } from './words.ts';

const FINALIZE_MAX = 5;
const LETTER_LOST_MAX = 2;

export function foldLife(state: LifeState, event: StoredEvent): LifeState {
  switch (event.type) {
    case 'command.begun':
      return began(state, event);
    case 'command.noted':
      return { ...state, ...noted(state, event.payload) };
    case 'command.ended':
      return ended(state, event);
    case 'signal.received':
      return { ...state, ...afterSignal(state, event.payload.signal, event.at) };
    case 'run.submitted':
    case 'run.forked':
    case 'run.ended':
    case 'command.cancelled':
    case 'owner.started':
    case 'owner.stopped':
    case 'apply.begun':
    case 'apply.ended':
    case 'cooldown.set':
    case 'cooldown.cleared':
    case 'notice.begun':
    case 'notice.ended':
    case 'prune.begun':
    case 'prune.ended':
    case 'tree.kept':
    case 'tree.restarting':
    case 'watch.noted':
    case 'watch.kept':
      return state;
  }
}

function began(
  state: LifeState,
  event: StoredEvent & { readonly type: 'command.begun' },
): LifeState {
  const { key, command, input } = event.payload;
  const begun: LifeState = {
    ...state,
    open: [...state.open, { key, command }],
    counts: { ...state.counts, [command]: countOf(state, command) + 1 },
    setup: foldSetup(state.setup, event) ?? state.setup,
  };
  if (command !== 'attempt') return begun;
  const turn = {
    number: countOf(begun, 'attempt'),
    resumed: typeof input['resume'] === 'string',
    session: null,
  };
  const known = { ...begun, turn, workedIn: state.tree, looked: false };
  if (state.phase.kind !== 'turn') return known;
  // What it is told now is told again if this turn comes to nothing.
  const phase = { kind: 'turn', news: newsOf(state) } as const;
  const inbox = state.inbox.slice(delivered(state.inbox).length);
  return { ...known, phase, inbox };
}

/** Of a life that was cut nothing is taken up any more, whatever it says on its way out. */
function noted(
  { open, turn, leaving }: LifeState,
  { key, note }: Payload<'command.noted'>,
): Change {
  const isTurn = open.some((one) => one.key === key && one.command === 'attempt');
  if (!isTurn || turn === null || note['kind'] !== 'session') return {};
  const { session } = note;
  if (typeof session !== 'string') return {};
  const isCut = leaving !== null && 'exit' in leaving && leaving.exit.kind === 'failed';
  return { turn: { ...turn, session }, ...(isCut ? {} : { session }) };
}

function ended(
  before: LifeState,
  event: StoredEvent & { readonly type: 'command.ended' },
): LifeState {
  const { key, end } = event.payload;
  const step = before.open.find((one) => one.key === key);
  if (step === undefined) return before;
  const state: LifeState = {
    ...before,
    open: before.open.filter((one) => one !== step),
    setup: foldSetup(before.setup, event) ?? before.setup,
  };
  const known = { ...state, ...decidedBy(state, step, end) };
  return { ...known, ...after(known, step, end, event.at) };
}

function after(state: LifeState, step: OpenStep, end: CommandEnd, atMs: number): Change {
  if (step.command === 'tell') return afterLetter(state, end);
  if (step.command === 'spread')
    return end.kind === 'lost' ? {} : { forAll: state.forAll.slice(1) };
  if (!isMain(step)) {
    const number = Number(step.key.slice(MATTER_KEY.length));
    const matter = state.matters.find((one) => one.number === number);
    return matter === undefined ? {} : afterMatter(state, matter, end);
  }
  if (step.command === 'finalize')
    return { finalized: end.kind !== 'lost' || countOf(state, 'finalize') >= FINALIZE_MAX };
  if (step.command === 'put') {
    const away = afterPut(state, end);
    return { ...away, ...left({ ...state, ...away }) };
  }
  const setup = step.command === 'setup' ? nextOfSetup(state.setup, setupWish(state)) : undefined;
  if (setup?.kind === 'end') return closes(state, setup.outcome, 'failed-reaped');
  if (state.leaving !== null) {
    const now = atTheLastMoment(state, step, end);
    return { ...now, ...left({ ...state, ...now }) };
  }
  if (isAlive(state)) return whileAlive(state, step, end, atMs);
  return step.command === 'take' ? takenIn(state, end) : {};
}

/** What it took, or was answered, while it was called off is as good as before. */
function atTheLastMoment(state: LifeState, { command }: OpenStep, end: CommandEnd): Change {
  const { phase } = state;
  if (command === 'take') return takenIn(state, end);
  return command === 'ask' && phase.kind === 'ask' ? answeredLate(state, phase, end) : {};
}

function whileAlive(
  state: LifeState,
  { command }: OpenStep,
  end: CommandEnd,
  atMs: number,
): Change {
  const { phase } = state;
  switch (phase.kind) {
    case 'turn':
      if (command === 'survey') return afterSurvey(state, end, atMs);
      return command === 'attempt' ? afterTurn(state, end, atMs) : {};
    case 'verify':
      return command === 'gate' ? afterCheck(state, phase, end) : {};
    case 'rest':
      if (command === 'cool') return { phase: { ...phase, cools: end.kind === 'lost' } };
      return command === 'wait' ? afterRest(phase.news, end) : {};
    case 'ask':
      return command === 'ask' ? afterAnswer(state, phase, end) : {};
    case 'done':
      return command === 'take' ? afterTake(state, end) : {};
    case 'wakeup':
      return {};
  }
}

/** A letter that may not have arrived is written once more, and then not again. */
function afterLetter({ outbox }: LifeState, end: CommandEnd): Change {
  const [first, ...rest] = outbox;
  if (first === undefined || end.kind !== 'lost' || first.lost >= LETTER_LOST_MAX)
    return { outbox: rest };
  return { outbox: [{ ...first, lost: first.lost + 1 }, ...rest] };
}
