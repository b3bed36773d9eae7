/**
 * A program whose moves are written in its submission, so that a test of an engine states on one
 * line what should happen. Stages follow one another; the commands of one stage run side by side.
 */
import { after } from '../../base/clock.ts';
import type { Instant } from '../../base/clock.ts';
import { commandKey } from '../../base/ids.ts';
import type { CommandKey } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { LimitRequest } from '../../engine/limits.ts';
import type { Move, PerformMove, Program } from '../../engine/program.ts';
import type { CommandEnded } from '../../protocol/commands.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { Submission } from '../../protocol/run-submission.ts';

export type FakeCommand =
  | {
      readonly perform: string;
      readonly limits?: readonly LimitRequest[];
      /** Another command than the fake performer's own. */
      readonly command?: string;
      /** More input, with the name that waits use too. */
      readonly until?: number;
    }
  | { readonly waitMs: number }
  | { readonly ask: string; readonly withinMs?: number }
  /** A child run of the same program, with its own stages. `needed`: if it does not succeed, this run cancels the rest and fails. */
  | { readonly run: readonly FakeProgramState[]; readonly needed?: boolean; readonly task?: string }
  /** A child run of any program. */
  | { readonly submission: FakeChildRun }
  /** The run is parked until a message with this text. */
  | { readonly parksUntil: string }
  | { readonly fault: FakeProgramFault };

/** A submission as the JSON that the state of the program can hold. */
export type FakeChildRun = { readonly [key: string]: Json };

/** Moves that no program may make, to see how the engine handles them. */
export type FakeProgramFault =
  | 'throw-in-next'
  | 'throw-in-fold'
  | 'finish-while-open'
  | 'decide-without-end'
  | 'wait-in-circles'
  | 'perform-in-circles'
  | 'say-nothing';

export type FakeProgramState = readonly FakeCommand[];

type PuppetState = {
  readonly stages: readonly FakeProgramState[];
  readonly stage: number;
  readonly stageAt: number;
  readonly ended: readonly string[];
  /** Keys that are open now. */
  readonly open: readonly string[];
  /** How often the command at each place was interrupted; it begins again under a new key. */
  readonly interruptions: { readonly [index: string]: number };
  readonly stop: 'ask' | 'kill' | null;
  /** The reason why a needed child run did not succeed. */
  readonly failed: string | null;
};

export function fakeSubmission(...stages: readonly FakeProgramState[]): Submission {
  const submission = { program: 'puppet', task: 'dance', project: '/stage', settings: { stages } };
  return submission as unknown as Submission;
}

export const fakeProgram: Program<PuppetState & { readonly [key: string]: Json }> = {
  name: 'puppet',
  version: 1,

  start: ({ settings }) => ({
    stages: (settings as unknown as { readonly stages: readonly FakeProgramState[] }).stages,
    stage: 0,
    stageAt: 0,
    ended: [],
    open: [],
    interruptions: {},
    stop: null,
    failed: null,
  }),

  fold(state, event) {
    if (tripsOver(event)) throw new Error('the puppet trips in fold');
    const changed = { ...state, ...change(state, event) };
    const commands = changed.stages[changed.stage] ?? [];
    const over =
      commands.length > 0 && commands.every((_, index) => changed.ended.includes(index.toString()));
    if (!over) return changed;
    return {
      ...changed,
      stage: changed.stage + 1,
      stageAt: event.at,
      ended: [],
      interruptions: {},
    };
  },

  next(state, now): readonly Move[] {
    if (state.stop !== null) {
      const how = state.stop;
      if (state.open.length === 0)
        return [{ kind: 'finish', outcome: { kind: 'cancelled', reason: 'stopped' } }];
      return state.open.map((key) => ({ kind: 'cancel', key: commandKey(key), how }));
    }
    if (state.failed !== null) {
      if (state.open.length === 0)
        return [{ kind: 'finish', outcome: { kind: 'failed', reason: state.failed } }];
      return state.open.map((key) => ({ kind: 'cancel', key: commandKey(key), how: 'ask' }));
    }
    const commands = state.stages[state.stage];
    if (commands === undefined)
      return [{ kind: 'finish', outcome: { kind: 'succeeded', reason: 'danced' } }];
    return commands.flatMap((command, index) => {
      if ('fault' in command) return breakProgram(command.fault, state, now);
      if ('parksUntil' in command) return state.ended.includes(index.toString()) ? [] : PARK;
      return state.ended.includes(index.toString()) ? [] : [buildMove(state, command, index, now)];
    });
  },
};

const PARK: readonly Move[] = [{ kind: 'park' }];

function tripsOver(event: RunEvent): boolean {
  if (event.type === 'command.noted') return 'trip' in event.payload.note;
  if (event.type !== 'command.begun' || event.payload.command !== 'wait') return false;
  return event.payload.input.why === 'throw-in-fold';
}

function breakProgram(
  fault: FakeProgramFault,
  { open, ended }: PuppetState,
  now: Instant,
): readonly Move[] {
  const circle = commandKey(open[0] ?? `circle-${ended.length}`);
  switch (fault) {
    case 'throw-in-next':
      throw new Error('the puppet trips in next');
    case 'throw-in-fold':
      return [{ kind: 'wait', key: commandKey('trip'), until: now, reason: 'timer', why: fault }];
    case 'finish-while-open':
      return [{ kind: 'finish', outcome: { kind: 'succeeded', reason: fault } }];
    case 'decide-without-end':
      return [{ kind: 'ask', key: commandKey(`more-${open.length}`), question: fault }];
    case 'wait-in-circles':
      return [{ kind: 'wait', key: circle, until: now, reason: 'timer', why: fault }];
    case 'perform-in-circles':
      return [performs({ key: circle, command: 'nobody performs this', input: {} })];
    case 'say-nothing':
      return [];
  }
}

function buildMove(
  state: PuppetState,
  command: Exclude<FakeCommand, { fault: FakeProgramFault } | { parksUntil: string }>,
  index: number,
  now: Instant,
): Move {
  const key = buildKey(state, index);
  if ('waitMs' in command)
    return {
      kind: 'wait',
      key,
      until: after(now, command.waitMs),
      reason: 'timer',
      why: 'a pause',
    };
  if ('submission' in command) {
    const submission = command.submission as unknown as Submission;
    return { kind: 'run', key, submission };
  }
  if ('run' in command) {
    const { run, task = 'dance along' } = command;
    return { kind: 'run', key, submission: { ...fakeSubmission(...run), task } };
  }
  if ('ask' in command) {
    const { ask: question, withinMs } = command;
    const until = withinMs === undefined ? {} : { until: after(now, withinMs) };
    return { kind: 'ask', key, question, ...until };
  }
  const { perform, limits = [], command: name = 'dance', until } = command;
  const input = { label: perform, ...(until === undefined ? {} : { until }) };
  return performs({ key, command: name, input, limits });
}

/** Its commands are its own, and not those of a run. */
function performs(move: object): Move {
  return { kind: 'perform', ...move } as PerformMove;
}

/** `s2/1-3`: stage 2, place 1, begun for the third time. */
function buildKey(state: PuppetState, index: number): CommandKey {
  return commandKey(`s${state.stage}/${index}-${1 + (state.interruptions[index.toString()] ?? 0)}`);
}

/** Undefined: the child succeeded. */
function whyNotDone({ end }: CommandEnded<'run'>): string | undefined {
  if (end.kind !== 'done') return end.kind;
  const { kind, reason } = end.result.outcome;
  return kind === 'succeeded' ? undefined : `${kind}: ${reason}`;
}

function change(state: PuppetState, event: RunEvent): Partial<PuppetState> {
  if (event.type === 'command.begun') return { open: [...state.open, event.payload.key] };
  if (event.type === 'command.ended') {
    const { key, end } = event.payload;
    const index = /\/(\d+)-/.exec(key)?.[1] ?? '';
    const open = state.open.filter((one) => one !== key);
    const command = state.stages[state.stage]?.[Number(index)];
    const isNeeded = command !== undefined && 'run' in command && command.needed === true;
    if (isNeeded && event.payload.command === 'run' && state.failed === null) {
      const reason = whyNotDone(event.payload);
      if (reason !== undefined) return { open, failed: reason };
    }
    if (end.kind !== 'interrupted') return { open, ended: [...state.ended, index] };
    return {
      open,
      interruptions: { ...state.interruptions, [index]: (state.interruptions[index] ?? 0) + 1 },
    };
  }
  if (event.type !== 'signal.received') return {};
  const { signal } = event.payload;
  if (signal.kind === 'message') {
    const commands = state.stages[state.stage] ?? [];
    const index = commands.findIndex(
      (one) => 'parksUntil' in one && one.parksUntil === signal.text,
    );
    return index === -1 ? {} : { ended: [...state.ended, index.toString()] };
  }
  if (event.payload.signal.kind === 'stop') return { stop: state.stop ?? 'ask' };
  return event.payload.signal.kind === 'kill' ? { stop: 'kill' } : {};
}
