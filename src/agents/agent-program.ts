/**
 * LOOP: one agent that lives long, turn by turn, as a pure reducer. What each fact means is folded in
 * `fold-agent.ts`, what follows is in `next-moves.ts`. It never begins a life: its supervisor does.
 */
import type { Json } from '../base/json.ts';
import type { Program } from '../engine/program.ts';
import { AGENT_PROGRAM } from '../protocol/long-lived-agent.ts';
import { foldAgent } from './fold-agent.ts';
import type { AgentProgramState } from './agent-state.ts';
import { startAgent } from './agent-state.ts';
import { nextAgentMoves } from './next-moves.ts';

export const agentProgram: Program<AgentProgramState & { readonly [key: string]: Json }> = {
  name: AGENT_PROGRAM,
  version: 3,
  start: startAgent,
  fold: foldAgent,
  next: nextAgentMoves,
};
