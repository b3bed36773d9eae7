/**
 * LOOP: one task through an agent to its end, as a pure reducer. In this first form the chain has
 * one agent: an attempt that died with its owner is begun again in the same place, everything
 * else that ends it ends the run.
 */
import { commandKey } from '../base/ids.ts';
import type { CommandKey } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import type { Move, Program } from '../engine/program.ts';
import type { CommandEnd, StoredEvent, Submission } from '../protocol/event.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { REASON_MAX } from '../protocol/outcome.ts';
import type { AttemptOutcome, AttemptSettings } from './attempt.ts';

type AttemptsState = {
  readonly task: string;
  readonly project: string;
  readonly settings: AttemptSettings;
  /** How many attempts have begun; the number of the last one. */
  readonly begun: number;
  readonly open: boolean;
  readonly lost: number;
  /** How the last attempt ended, unless it was lost. */
  readonly last: AttemptOutcome | null;
  /** The strongest stop that a user has asked for. Nothing begins after it. */
  readonly stop: 'stop' | 'kill' | null;
};

export const attemptsProgram: Program<AttemptsState & { readonly [key: string]: Json }> = {
  name: 'attempts',
  version: 1,

  start: ({ task, project, settings }: Submission) => ({
    task,
    project,
    settings: settings as unknown as AttemptSettings,
    begun: 0,
    open: false,
    lost: 0,
    last: null,
    stop: null,
  }),

  fold: (state, event) => ({ ...state, ...change(state, event) }),

  next(state): readonly Move[] {
    const key = attemptKey(state.begun);
    if (state.open) {
      if (state.stop === null) return [];
      return [{ kind: 'cancel', key, how: state.stop === 'kill' ? 'kill' : 'ask' }];
    }
    const outcome = runOutcome(state);
    if (outcome !== undefined) return [{ kind: 'finish', outcome: clipped(outcome) }];
    return [
      {
        kind: 'perform',
        key: attemptKey(state.begun + 1),
        command: 'attempt',
        input: attemptInput(state),
        limits: ['attempts', `project:${state.project}`],
      },
    ];
  },
};

function attemptKey(number: number): CommandKey {
  return commandKey(`attempt-${number}`);
}

function attemptInput({ settings, task, project }: AttemptsState): Record<string, Json> {
  return { ...settings, prompt: task, project };
}

function change(state: AttemptsState, event: StoredEvent): Partial<AttemptsState> {
  switch (event.type) {
    case 'command.begun':
      return { begun: state.begun + 1, open: true, last: null };
    case 'command.ended':
      return { open: false, ...ending(state, event.payload.end) };
    case 'signal.received': {
      const { kind } = event.payload.signal;
      if (kind === 'kill') return { stop: 'kill' };
      return kind === 'stop' ? { stop: state.stop ?? 'stop' } : {};
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
    case 'prune.begun':
    case 'prune.ended':
      return {};
  }
}

function ending(state: AttemptsState, end: CommandEnd): Partial<AttemptsState> {
  switch (end.kind) {
    case 'done':
      return { last: end.result as unknown as AttemptOutcome };
    case 'lost':
      return { lost: state.lost + 1 };
    case 'defect':
      return {
        last: {
          kind: 'failed',
          reason: 'crashed',
          message: `supervisor's own fault: ${end.message}`,
        },
      };
  }
}

/** What an agent says of itself may be of any length; an outcome may not. */
function clipped({ kind, reason }: RunOutcome): RunOutcome {
  return {
    kind,
    reason: reason.length <= REASON_MAX ? reason : `${reason.slice(0, REASON_MAX - 1)}…`,
  };
}

/** How the run ends now, with nothing open; undefined: it goes on with another attempt. */
function runOutcome({ stop, last, lost, begun, settings }: AttemptsState): RunOutcome | undefined {
  // Work that was finished before the stop could reach it is still finished work.
  if (stop !== null && last?.kind !== 'completed') {
    const kind = stop === 'kill' ? 'killed' : 'cancelled';
    return {
      kind,
      reason:
        begun === 0 ? 'stopped before it began' : `stopped by the user during attempt ${begun}`,
    };
  }
  if (last === null) {
    if (lost <= settings.lostMax) return undefined;
    return { kind: 'exhausted', reason: `the attempt was lost ${lost} times with its owner` };
  }
  switch (last.kind) {
    case 'completed':
      return { kind: 'unverified', reason: last.summary };
    case 'failed':
      return { kind: 'failed', reason: `${settings.agent.id}: ${last.message}` };
    case 'stopped':
      return { kind: 'cancelled', reason: `attempt ${begun} was stopped` };
  }
}
