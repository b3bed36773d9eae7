/**
 * LOOP: one long-lived agent, turn by turn, as a pure reducer. `fold-agent.ts` folds each fact into the state,
 * and `next-moves.ts` decides what follows. Only the agent's supervisor starts a life.
 */
import type { Json } from '../base/json.ts';
import type { Program } from '../engine/program.ts';
import { AGENT_PROGRAM } from '../protocol/agent-program-name.ts';
import { foldAgent } from './fold-agent.ts';
import type { AgentProgramState } from './agent-state.ts';
import { startAgent } from './agent-state.ts';
import { nextAgentMoves } from './next-moves.ts';

export const agentProgram: Program<AgentProgramState & { readonly [key: string]: Json }> = {
  name: AGENT_PROGRAM,
  version: 1,
  start: startAgent,
  fold: foldAgent,
  next: nextAgentMoves,
};
