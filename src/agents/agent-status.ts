/** How a long-lived agent stands, for whoever decides about it: its supervisor, the monitors, a person. */
import type { AgentKind, AgentState } from '../protocol/long-lived-agent.ts';
import { isNormalExit } from '../supervision/exit.ts';
import type { Exit } from '../supervision/index.ts';
import type { Commitment } from './commitments.ts';
import type { AgentProgramState } from './agent-state.ts';
import { isAgentAlive } from './agent-state.ts';

export type AgentStatus = {
  readonly name: string;
  readonly kind: AgentKind;
  readonly parent: string | null;
  readonly state: AgentState;
  /** Lives begun; 0: none yet. */
  readonly life: number;
  readonly turn: number;
  /** Until when only a limit is in its way; null: none is. */
  readonly restsUntil: number | null;
  /** Null while this life goes on, or before the first. Else how it ended: its supervisor decides. */
  readonly exit: Exit | null;
  /** Its supervisor has ended this life, which goes on until what it does is over. */
  readonly isEnding: boolean;
  /** Spent, and somebody wants it back all the same: its supervisor should begin another life. */
  readonly wantsLife: boolean;
  /** The run has ended or is about to: nobody restarts it. */
  readonly over: boolean;
  /** What a person is asked, whether it can go on meanwhile or not. */
  readonly openMatters: number;
  readonly commitments: readonly Commitment[];
  readonly notes: number;
};

export function agentStatus(state: AgentProgramState): AgentStatus {
  const { life, closing, counts, matters, commitments, phase } = state;
  const asks = isAgentAlive(state) && phase.kind === 'ask' ? 1 : 0;
  return {
    name: life.name,
    kind: life.kind,
    parent: life.parent,
    state: state.state,
    life: state.lives,
    turn: counts['attempt'] ?? 0,
    restsUntil: isAgentAlive(state) && phase.kind === 'rest' ? phase.until : null,
    exit: state.exit,
    isEnding: isAgentAlive(state) && isMeantToEnd(state),
    wantsLife: state.wantsLife,
    over: closing !== null,
    openMatters: matters.length + asks,
    commitments,
    notes: state.notes,
  };
}

function isMeantToEnd({ leaving }: AgentProgramState): boolean {
  return leaving !== null && 'exit' in leaving && isNormalExit(leaving.exit);
}
