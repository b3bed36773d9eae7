/** What a key does to the state of the screen. */
import { actionsFor } from './actions.ts';
import { step } from './action.ts';
import type { Key, KeyName } from './key-reader.ts';
import { clamp, fileOf, linesOf } from './review-actions.ts';
import { listed, selectedNode, selectedPlace, treeLines } from './selected-rows.ts';
import type { Screen, KeyStep, TopState } from './top-state.ts';
import { replaced, shown } from './top-state.ts';

const VALUE_CHARS_MAX = 10_000;

export function press(state: TopState, key: Key): KeyStep {
  const name = key.kind === 'key' ? key.name : key.text === ' ' ? 'space' : key.text;
  if (name === 'ctrl-c') return step(state, { kind: 'quit', code: 130 });
  if (name === 'ctrl-z') return step(state, { kind: 'suspend' });
  if (name === 'ctrl-l') return step(state, { kind: 'redraw' });
  if (state.prompt !== null) return typed(state, state.prompt, key);
  if (state.isHelp && name === 'escape') return step({ ...state, isHelp: false });
  // A paste is no series of keys.
  if (key.kind === 'paste') return step(state);
  const by = MOVES[name]?.(state.rows);
  if (by !== undefined) return step({ ...moved(state, by), notice: null });
  const action = actionsFor(state).find((one) => one.key === name);
  if (action === undefined)
    return step({
      ...state,
      notice: { text: `${name} does nothing here. ? shows the keys.`, isProblem: false },
    });
  if (action.disabled !== undefined)
    return step({ ...state, notice: { text: `${name}: ${action.disabled}`, isProblem: true } });
  return action.run({ ...state, isHelp: name === '?' && state.isHelp, notice: null });
}

const ALL = 1_000_000;
const MOVES: Readonly<Record<string, (rows: number) => number>> = {
  ...{ up: () => -1, k: () => -1, down: () => 1, j: () => 1 },
  ...{ 'page-up': (rows) => 6 - rows, 'page-down': (rows) => rows - 6 },
  ...{ home: () => -ALL, g: () => -ALL, end: () => ALL, G: () => ALL },
};

function moved(state: TopState, by: number): TopState {
  const screen = shown(state);
  return replaced(state, movedScreen(state, screen, by));
}

function movedScreen(state: TopState, screen: Screen, by: number): Screen {
  if (screen.kind === 'list') {
    const { all } = listed(state);
    const next = all[clamp(selectedPlace(state) + by, all.length - 1)];
    return { ...screen, selected: next?.board.row.view.id ?? null };
  }
  if (screen.kind === 'tree') {
    const lines = treeLines(state);
    const id = selectedNode(state)?.id;
    const place = lines.findIndex(({ node }) => node.id === id);
    return { ...screen, selected: lines[clamp(place + by, lines.length - 1)]?.node.id ?? null };
  }
  if (screen.kind === 'review')
    return { ...screen, line: clamp(screen.line + by, linesOf(fileOf(state, screen)).length - 1) };
  // Output and facts hang on their end, so up goes away from it.
  const isFromEnd = screen.tab === 'output' || screen.tab === 'facts';
  return { ...screen, scroll: clamp(screen.scroll + (isFromEnd ? -by : by), ALL) };
}

function typed(state: TopState, prompt: NonNullable<TopState['prompt']>, key: Key): KeyStep {
  const { value, form, isOptional } = prompt;
  const change = (next: string): KeyStep =>
    step({
      ...state,
      prompt: { ...prompt, value: next.slice(0, VALUE_CHARS_MAX), chosen: null },
      notice: null,
    });
  const found = prompt.completions(state, value);
  if (key.kind !== 'key') {
    if (form !== 'confirm') return change(value + key.text);
    return key.text === 'y'
      ? prompt.send({ ...state, prompt: null }, '')
      : step({ ...state, prompt: null });
  }
  if (key.name === 'escape')
    return step({
      ...state,
      prompt: null,
      notice: { text: 'Nothing was sent.', isProblem: false },
    });
  const by = CHOICES[key.name];
  if (by !== undefined && found.length > 0) {
    const begin = prompt.chosen ?? (by > 0 ? -1 : 0);
    const chosen = (begin + by + found.length) % found.length;
    return step({ ...state, prompt: { ...prompt, chosen }, notice: null });
  }
  const one = found[prompt.chosen ?? (key.name === 'tab' ? 0 : -1)];
  if ((key.name === 'tab' || key.name === 'enter') && one !== undefined)
    // A value is whole; after a field comes its value.
    return change(one.query.endsWith(':') ? one.query : `${one.query} `);
  if (key.name === 'enter') {
    const isMissing = form !== 'confirm' && !isOptional && value.trim() === '';
    if (form === 'confirm') return step(state);
    return isMissing
      ? step({
          ...state,
          notice: { text: 'Type something first, or press Escape.', isProblem: true },
        })
      : prompt.send({ ...state, prompt: null }, value);
  }
  return change(EDITS[key.name]?.(value) ?? value);
}

/** Keys that choose one of the completions. */
const CHOICES: Partial<Readonly<Record<KeyName, number>>> = {
  ...{ down: 1, right: 1, up: -1, left: -1, 'back-tab': -1 },
};

const CHARACTERS = new Intl.Segmenter();
const EDITS: Partial<Readonly<Record<KeyName, (value: string) => string>>> = {
  backspace: (value) => value.slice(0, [...CHARACTERS.segment(value)].at(-1)?.index ?? 0),
  'ctrl-u': () => '',
  'ctrl-w': (value) => value.replace(/\S*\s*$/, ''),
};
