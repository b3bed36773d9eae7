/** Marks in the list, and what several marked runs can be told at once: one command names all of them. */
import { plural } from '../base/text.ts';
import type { Instruction } from '../protocol/views/instructions.ts';
import { takes } from '../protocol/views/instructions.ts';
import type { Action } from './action.ts';
import { asking, sending, step } from './action.ts';
import type { KeyStep, TopState } from './top-state.ts';
import { listed, markedRuns, selectedRun } from './selected-rows.ts';

const KEYS: readonly (readonly [key: string, kind: Instruction, does: string])[] = [
  ['p', 'pause', 'pause'],
  ['u', 'unpause', 'unpause'],
  ['r', 'retry-now', 'retry now'],
  ['n', 'next', 'next agent'],
  ['x', 'stop', 'stop'],
  ['K', 'kill', 'kill'],
];

export function markActions(state: TopState): readonly Action[] {
  const run = selectedRun(state);
  const { groups } = listed(state);
  const open = [...groups['needs-you'], ...groups.working, ...groups.cooling];
  const ids = open.map(({ board }) => board.row.view.id);
  return [
    {
      ...{ key: 'space', does: state.marked.has(run ?? '') ? 'unmark' : 'mark for several' },
      disabled: run === null ? 'no run is selected' : undefined,
      run: (now) => step({ ...now, marked: toggled(now.marked, run ?? '') }),
    },
    {
      ...{ key: '*', does: 'mark all active runs shown' },
      disabled: ids.length === 0 ? 'no active run is shown' : undefined,
      run: (now) => step({ ...now, marked: new Set(ids) }),
    },
  ];
}

function toggled(marked: ReadonlySet<string>, run: string): ReadonlySet<string> {
  const next = new Set(marked);
  if (!next.delete(run)) next.add(run);
  return next;
}

/** Instead of the actions on one run, while several are marked. */
export function batchActions(state: TopState): readonly Action[] {
  const marked = markedRuns(state);
  return KEYS.map(([key, kind, does]) => {
    const runs = marked.filter((one) => takes(kind, one)).map(({ board }) => board.row.view.id);
    const command = `supervisor ${kind} ${runs.join(' ')}`;
    const tell = (now: TopState): KeyStep =>
      sending(now, { kind: 'signals', runs, signal: kind, command });
    const isFinal = kind === 'stop' || kind === 'kill';
    const title = `${kind === 'stop' ? 'Stop' : 'Kill'} ${plural(runs.length, 'run')}?`;
    return {
      ...{ key, does: `${does} ${runs.length}`, command },
      disabled: runs.length === 0 ? 'it means nothing to the marked runs' : undefined,
      run: isFinal
        ? (now) => asking(now, { title, form: 'confirm', command: () => command, send: tell })
        : tell,
    };
  });
}
