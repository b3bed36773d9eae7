/** LOOP: one agent that lives long, turn by turn, as a pure reducer. Its supervisor says when a life begins. */
import type { AttemptOutcome } from '../attempts/attempt.ts';
import { commandKey } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import type { Move, Program } from '../engine/program.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { LIFE_PROGRAM } from '../protocol/life.ts';
import type { LifeState } from './life-state.ts';
import { isAlive, startLife } from './life-state.ts';

export const lifeProgram: Program<LifeState & { readonly [key: string]: Json }> = {
  name: LIFE_PROGRAM,
  version: 1,

  start: startLife,

  fold(state, event): LifeState {
    return { ...state, ...change(state, event) };
  },

  next(state): readonly Move[] {
    if (state.closing !== null)
      return state.open.length === 0
        ? [{ kind: 'finish', outcome: state.closing }]
        : state.open.map(({ key }) => ({ kind: 'cancel', key: commandKey(key), how: 'ask' }));
    return isAlive(state) ? [turn(state)] : [{ kind: 'stand' }];
  },
};

function turn({ settings, project, task, open, counts }: LifeState): Move {
  const [going] = open;
  const number = going === undefined ? (counts['attempt'] ?? 0) + 1 : (counts['attempt'] ?? 0);
  return {
    kind: 'perform',
    key: commandKey(`attempt-${number}`),
    command: 'attempt',
    input: { ...settings, project, prompt: task, number } as unknown as Record<string, Json>,
    limits: ['attempts', `project:${project}`],
  };
}

function change(state: LifeState, event: StoredEvent): Partial<LifeState> {
  switch (event.type) {
    case 'command.begun': {
      const { key, command } = event.payload;
      const counts = { ...state.counts, [command]: (state.counts[command] ?? 0) + 1 };
      return { counts, open: [...state.open, { key, command }] };
    }
    case 'command.ended': {
      const open = state.open.filter(({ key }) => key !== event.payload.key);
      const { end } = event.payload;
      if (end.kind === 'lost') return { open };
      return {
        open,
        ...after(end.kind === 'done' ? (end.result as unknown as AttemptOutcome) : null),
      };
    }
    case 'signal.received': {
      const { signal } = event.payload;
      if (signal.kind === 'live' && !isAlive(state) && signal.life === state.lives + 1)
        return { lives: signal.life, exit: null, state: 'working' };
      if (signal.kind === 'dismiss' || signal.kind === 'stop' || signal.kind === 'kill')
        return { closing: ended('cancelled', 'dismissed'), state: 'dismissed-reaped' };
      return {};
    }
    case 'run.submitted':
    case 'run.forked':
    case 'run.ended':
    case 'command.noted':
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
      return {};
  }
}

function after(outcome: AttemptOutcome | null): Partial<LifeState> {
  if (outcome?.kind === 'completed')
    return {
      state: 'done',
      exit: { kind: 'normal' },
      closing: ended('unverified', outcome.summary),
    };
  const reason = outcome?.kind === 'failed' ? outcome.message : 'stopped';
  return { state: 'failed-reaped', exit: { kind: 'failed', reason } };
}

function ended(kind: RunOutcome['kind'], reason: string): RunOutcome {
  return { kind, reason };
}
