/** The few ways in which a life takes a turn: to another state, to its end, to a question, to the end of the run. */
import type { TriggerPolicy } from '../protocol/life-rules.ts';
import type { AgentState } from '../protocol/life.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { REASON_MAX } from '../protocol/outcome.ts';
import type { Exit } from '../supervision/index.ts';
import type { Change, LifeState, Phase, Question } from './life-state.ts';
import { mainStep } from './life-state.ts';
import { canEnter, enter } from './states.ts';
import { restartedDueTo } from './words.ts';

/** By a legal way: whoever verifies, rests or is done works for a moment before a person is asked. */
export function become({ state, life }: LifeState, to: AgentState): Pick<LifeState, 'state'> {
  if (state === to) return { state };
  const from = canEnter(state, to) ? state : enter(state, 'working', life.flags);
  return { state: enter(from, to, life.flags) };
}

export function works(state: LifeState, news: string | null): Change {
  return { ...become(state, 'working'), phase: { kind: 'turn', news } };
}

export function asks(state: LifeState, question: Question): Change {
  return { ...become(state, 'waiting-input'), phase: { kind: 'ask', ...question } };
}

/** What it is told and has not dealt with. */
export function newsIn(phase: Phase): string | null {
  return phase.kind === 'turn' || phase.kind === 'rest' || phase.kind === 'ask' ? phase.news : null;
}

export type Failing = {
  readonly workspace: TriggerPolicy['workspace']['crashed'];
  /** Whether the next life begins a conversation of its own. */
  readonly forgets: boolean;
  /** What the next life is told; else the reason. */
  readonly told?: string;
  readonly model?: string;
};

/** This life has failed: the next one begins where it was, if its supervisor lets it. */
export function fails(
  state: LifeState,
  reason: string,
  { workspace, forgets, told, model }: Failing,
): Change {
  const isBody = canEnter(state.state, 'failed-reaped');
  return {
    ...(isBody ? become(state, 'failed-reaped') : {}),
    exit: { kind: 'failed', reason: clipped(reason) },
    phase: { kind: 'turn', news: newsIn(state.phase) },
    leaving: null,
    restarted: told ?? restartedDueTo(reason),
    interrupted: false,
    ...(forgets ? { session: null, turn: null } : {}),
    ...(workspace === 'discard' ? { tree: state.tree + 1, session: null } : {}),
    ...(model === undefined ? {} : { model }),
    silent: 0,
    lost: 0,
  };
}

/** What goes on is called off first. A setup has a bound of its own, and is as good for the next life. */
export function leaves(state: LifeState, leaving: NonNullable<LifeState['leaving']>): Change {
  if (mainStep(state) !== undefined) return { leaving };
  return left({ ...state, leaving });
}

/** Nothing of it goes on any more. */
export function left(state: LifeState): Change {
  const { leaving } = state;
  if (leaving === null || mainStep(state) !== undefined) return {};
  if ('exit' in leaving) {
    const { exit } = leaving;
    const isBody = exit.kind === 'failed' && canEnter(state.state, 'failed-reaped');
    return { ...(isBody ? become(state, 'failed-reaped') : {}), exit, leaving: null };
  }
  const { to } = leaving;
  if (to.kind === 'ask') return { ...asks(state, to), leaving: null };
  return { ...become(state, 'working'), phase: to, leaving: null };
}

/** The run is to end so. What came first stands: an end is not changed any more. */
export function closes(state: LifeState, outcome: RunOutcome, to: AgentState): Change {
  if (state.closing !== null) return {};
  return {
    ...(canEnter(state.state, to) ? become(state, to) : {}),
    closing: { kind: outcome.kind, reason: clipped(outcome.reason) },
    exit: exitOf(outcome),
    leaving: null,
    wantsLife: false,
  };
}

/** Somebody lets it go. Work that was proven before that is still proven. */
export function letGo(state: LifeState, outcome: RunOutcome): Change {
  const { phase, verdict, summary } = state;
  const isProven = phase.kind === 'done' && verdict !== null;
  return closes(
    state,
    isProven ? { kind: verdict, reason: summary ?? 'done' } : outcome,
    'dismissed-reaped',
  );
}

function exitOf({ kind, reason }: RunOutcome): Exit {
  if (kind === 'succeeded' || kind === 'unverified') return { kind: 'normal' };
  if (kind === 'cancelled' || kind === 'killed')
    return { kind: 'shutdown', detail: clipped(reason) };
  return { kind: 'failed', reason: clipped(reason) };
}

function clipped(reason: string): string {
  return reason.length <= REASON_MAX ? reason : `${reason.slice(0, REASON_MAX - 1)}…`;
}
