/** What the programs that start runs have in common: which commands are open, and how a person stops them. */
import type { CommandKey } from '../base/ids.ts';
import { commandKey } from '../base/ids.ts';
import { truncate } from '../base/text.ts';
import type { CommandBegun, CommandEnded } from '../protocol/commands.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { REASON_MAX } from '../protocol/outcome.ts';
import type { Move } from './program.ts';

export type OpenPart = { readonly key: string; readonly command: string };

export type ParentState<Open extends OpenPart = OpenPart> = {
  readonly open: readonly Open[];
  /** A person wants it to end. */
  readonly stop: 'stop' | 'kill' | null;
};

/** How a program sees the facts of its commands. */
export type ParentFold<State, Open> = {
  readonly opens: (key: string, command: string) => Open;
  readonly begun: (state: State, payload: CommandBegun, at: number) => State;
  /** The run of this command is another one than it began with: a fork continues it. */
  readonly runsAs: (state: State, key: string, run: string) => State;
  /** Not called once a person has stopped it: what ends then is not judged. */
  readonly ended: (state: State, open: Open, payload: CommandEnded, at: number) => State;
};

export function foldParent<Open extends OpenPart, State extends ParentState<Open>>(
  state: State,
  event: RunEvent,
  fold: ParentFold<State, Open>,
): State {
  switch (event.type) {
    case 'command.begun': {
      const { key, command } = event.payload;
      const open = [...state.open, fold.opens(key, command)];
      return fold.begun({ ...state, open }, event.payload, event.at);
    }
    case 'command.noted': {
      const { key, command, note } = event.payload;
      return command === 'run' ? fold.runsAs(state, key, note.input.run) : state;
    }
    case 'command.ended': {
      const { key } = event.payload;
      const found = state.open.find((one) => one.key === key);
      if (found === undefined) return state;
      const closed = { ...state, open: state.open.filter((one) => one.key !== key) };
      return state.stop === null ? fold.ended(closed, found, event.payload, event.at) : closed;
    }
    case 'signal.received': {
      const { kind } = event.payload.signal;
      if (kind === 'kill') return { ...state, stop: 'kill' };
      return kind === 'stop' ? { ...state, stop: state.stop ?? 'stop' } : state;
    }
    case 'run.submitted':
    case 'run.forked':
    case 'run.ended':
    case 'command.cancelled':
      return state;
  }
}

/** Cancels what is open, and then ends. Undefined: no person has stopped it. */
export function stopMoves(
  { open, stop }: ParentState,
  reason: string,
): readonly Move[] | undefined {
  if (stop === null) return undefined;
  if (open.length === 0)
    return [finishMove({ kind: stop === 'kill' ? 'killed' : 'cancelled', reason })];
  const how = stop === 'kill' ? 'kill' : 'ask';
  return open.map(({ key }) => ({ kind: 'cancel', key: commandKey(key), how }));
}

export function finishMove({ kind, reason }: RunOutcome): Move {
  return { kind: 'finish', outcome: { kind, reason: truncate(reason, REASON_MAX) } };
}

/** A command that is repeated has a new key: `merge-2`, then `merge-2.2`. */
export function repeatedKey(name: string, repeated: number): CommandKey {
  return commandKey((repeated === 0 ? name : `${name}.${repeated + 1}`).toLowerCase());
}
