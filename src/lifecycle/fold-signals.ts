/** What is said to a long-lived agent from outside: by its supervisor, by a monitor, by people and by others of its kind. */
import type { Signal } from '../protocol/event.ts';
import type { Trigger } from '../protocol/life-rules.ts';
import { cutBy } from './cutting.ts';
import { askedOnce, escalated, put, settled, toldAbove } from './escalating.ts';
import { KIND_RULES } from './kinds.ts';
import type { Change, LifeState, Message } from './life-state.ts';
import { isAlive, mainStep } from './life-state.ts';
import { canEnter } from './states.ts';
import { asks, become, closes, leaves, letGo, newsIn, works } from './turning.ts';
import { restartedDueTo } from './words.ts';

/** What nobody has read yet; the oldest go first. */
const INBOX_MAX = 100;
const INBOX_CHARS_MAX = 400_000;

const HEARD_MAX = 20;

export function afterSignal(state: LifeState, signal: Signal, atMs: number): Change {
  if (signal.kind === 'kill')
    return { kills: true, ...letGo(state, { kind: 'killed', reason: 'killed by the user' }) };
  if (state.closing !== null) return {};
  switch (signal.kind) {
    case 'stop':
      return letGo(state, { kind: 'cancelled', reason: 'stopped by the user' });
    case 'dismiss':
      return letGo(state, { kind: 'cancelled', reason: `dismissed: ${signal.because}` });
    case 'live':
      return begins(state, signal.life);
    case 'halt':
      return halted(state, signal.because);
    case 'spent':
      return spent(state, signal.because, atMs);
    case 'message':
      return written(state, { from: signal.from, text: signal.text }, signal.urgent === true);
    case 'trigger':
      return triggered(state, signal.trigger);
    case 'matter':
      return signal.matter.direct === true
        ? askedOnce(state, signal.matter)
        : escalated(state, signal.matter, atMs);
    case 'violation': // it stands in the journal; what is done about it comes by itself
    case 'retry-now':
    case 'next':
    case 'pause':
    case 'unpause':
    case 'answer':
      return {};
  }
}

/** Whoever passes on what a person decided may have died in the middle of it, and say it again. */
function triggered(state: LifeState, trigger: Trigger): Change {
  const of = trigger.kind === 'gang' ? trigger.of : undefined;
  if (of === undefined) return cutBy(state, trigger);
  if (state.heardOf.includes(of)) return {};
  const heardOf = [...state.heardOf, of].slice(-HEARD_MAX);
  return { heardOf, ...cutBy(state, trigger) };
}

/** Only the number that follows begins anything: whoever says it twice has said it once. */
function begins(state: LifeState, life: number): Change {
  if (isAlive(state) || life !== state.lives + 1) return {};
  const back: Change = { ...settled(state, 'spent'), lives: life, exit: null };
  const known: Change = { ...back, spent: false, wantsLife: false, looked: false };
  const { phase } = state;
  if (phase.kind === 'turn' || state.state === 'failed-reaped')
    return { ...known, ...works(state, newsIn(phase)) };
  // Halted: it goes on with what it was at. What was proven halfway is proven anew.
  if (phase.kind === 'verify') return { ...known, phase: { ...phase, checks: [] } };
  // Somebody may have written while nobody was there to be woken.
  return state.inbox.length === 0 ? known : { ...known, ...wakes({ ...state, ...known }) };
}

function halted(state: LifeState, because: string): Change {
  if (!isAlive(state)) return {};
  const { leaving } = state;
  // A question that it was on its way to is put in its next life.
  const to = leaving !== null && 'to' in leaving && leaving.to.kind === 'ask' ? leaving.to : null;
  const told: Change = {
    restarted: restartedDueTo(because),
    ...(to === null ? {} : asks(state, to)),
  };
  const exit = { kind: 'shutdown', detail: because } as const;
  return { ...told, ...leaves({ ...state, ...told }, { exit }) };
}

/** A drone is simply gone. For the others, everybody above hears of it and a person decides. */
function spent(state: LifeState, because: string, atMs: number): Change {
  if (isAlive(state) || state.spent) return {};
  const { kind, name } = state.life;
  if (KIND_RULES[kind].whenSpent === 'reap')
    return closes(state, { kind: 'failed', reason: `reaped: ${because}` }, 'failed-reaped');
  const what = `is down and is not restarted once more: ${because}`;
  const choices = ['restart', 'dismiss'] as const;
  const told = toldAbove(state, { kind: 'spent', what: `${name} ${what}`, choices }, atMs);
  const asked = put({ ...state, ...told }, { kind: 'spent', what, choices });
  const body = canEnter(state.state, 'failed-reaped') ? become(state, 'failed-reaped') : {};
  return { ...told, ...asked, ...body, spent: true };
}

/**
 * Whoever waits is woken; whoever is down is wanted back; whoever works hears it in its next turn, which
 * begins at once where the matter is urgent: no CLI hears anything within one.
 */
function written(state: LifeState, message: Message, isUrgent: boolean): Change {
  const inbox = bounded([...state.inbox, message]);
  const got: Change = { inbox };
  if (!isAlive(state)) return state.spent ? { ...got, wantsLife: true } : got;
  if (state.leaving !== null) return got;
  const now = { ...state, inbox };
  const { phase } = state;
  if (phase.kind === 'turn' && isUrgent)
    return { ...got, ...leaves(now, { to: { kind: 'turn', news: phase.news } }) };
  return { ...got, ...wakes(now) };
}

/** What somebody does who has a message. */
function wakes(state: LifeState): Change {
  const { phase } = state;
  switch (phase.kind) {
    case 'wakeup':
      return works(state, null);
    case 'done': {
      // An idle one looks into its queue all the time; what it may take at this moment comes as well.
      const isIdle = phase.step === 'take' && mainStep(state) === undefined;
      return phase.step === 'stand' || isIdle ? works(state, null) : {};
    }
    case 'ask':
      // What it asked for itself, anybody may tell it.
      if (phase.about !== 'input') return {};
      return leaves(state, { to: { kind: 'turn', news: phase.news } });
    case 'turn':
    case 'verify':
    case 'rest':
      return {};
  }
}

function bounded(inbox: readonly Message[]): readonly Message[] {
  let few = inbox.slice(-INBOX_MAX);
  const size = (): number => few.reduce((sum, { text }) => sum + text.length, 0);
  while (few.length > 1 && size() > INBOX_CHARS_MAX) few = few.slice(1);
  return few;
}
