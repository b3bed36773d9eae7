/**
 * LOOP: one agent that lives long, turn by turn, as a pure reducer. What each fact means is folded in
 * `fold-life.ts`, what follows is in `next-life.ts`. It never begins a life: its supervisor does.
 */
import type { Json } from '../base/json.ts';
import type { Program } from '../engine/program.ts';
import { LIFE_PROGRAM } from '../protocol/life.ts';
import { foldLife } from './fold-life.ts';
import type { LifeState } from './life-state.ts';
import { startLife } from './life-state.ts';
import { nextOfLife } from './next-life.ts';

export const lifeProgram: Program<LifeState & { readonly [key: string]: Json }> = {
  name: LIFE_PROGRAM,
  version: 3,
  start: startLife,
  fold: foldLife,
  next: nextOfLife,
};
