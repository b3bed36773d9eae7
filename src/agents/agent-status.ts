/** The status of a long-lived agent for its supervisor, the monitors and people, derived from its state. */
import type { AgentKind, AgentState } from '../protocol/long-lived-agent.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { isNormalExit } from '../supervision/exit.ts';
import type { Exit } from '../supervision/index.ts';
import type { Commitment } from './commitments.ts';
import type { AgentProgramState } from './agent-state.ts';
import { commandCount, hasFailed, isAgentAlive } from './agent-state.ts';

export type AgentStatus = {
  readonly name: string;
  readonly kind: AgentKind;
  readonly parent: string | null;
  readonly state: AgentState;
  /** How many lives have started; 0: none. */
  readonly life: number;
  readonly turn: number;
  /** Until when the agent is cooling down; null: it is not. */
  readonly coolingUntil: number | null;
  /** How the life ended, for the supervisor to decide on. Null while it is running, or before the first. */
  readonly exit: Exit | null;
  /** The supervisor has ended this life, and its running step is not over yet. */
  readonly isEnding: boolean;
  /** The restarts are exhausted, and a person or a message asks for another life. */
  readonly restartRequested: boolean;
  /** The run has ended or is about to end, so the agent is not restarted. */
  readonly isOver: boolean;
  /** Open questions to a person, whether the agent waits for them or not. */
  readonly openIssues: number;
  readonly commitments: readonly Commitment[];
  readonly notes: number;
};

export function agentStatus(state: AgentProgramState): AgentStatus {
  const { pinned, lives, exit, phase, ending, issues, work, mailbox } = state;
  const { name, kind, parent } = pinned.agent;
  const isAlive = isAgentAlive(state);
  return {
    name,
    kind,
    parent,
    state: agentState(state),
    life: lives,
    turn: commandCount(state, 'attempt'),
    coolingUntil: isAlive && phase.kind === 'cooldown' ? phase.until : null,
    exit: ending.outcome === null ? exit : exitByOutcome(ending.outcome),
    isEnding: isAlive && isAskedToEnd(state),
    restartRequested: state.restartRequested,
    isOver: ending.outcome !== null,
    openIssues: issues.open.length + (isAlive && phase.kind === 'ask' ? 1 : 0),
    commitments: work.commitments,
    notes: mailbox.notes,
  };
}

/** Between two lives an agent keeps the state of its phase, unless the last life failed. */
export function agentState(state: AgentProgramState): AgentState {
  switch (state.ending.cause) {
    case null:
      break;
    case 'completed':
      return 'done';
    case 'failed':
      return 'failed-reaped';
    case 'dismissed':
      return hasFailed(state) ? 'failed-reaped' : 'dismissed-reaped';
  }
  if (hasFailed(state)) return 'failed-reaped';
  if (state.lives === 0) return 'summoned';
  switch (state.phase.kind) {
    case 'turn':
    case 'cooldown':
      return 'working';
    case 'verify':
      return 'verifying';
    case 'ask':
      return 'waiting-input';
    case 'wakeup':
      return 'waiting-wakeup';
    case 'done':
      return 'done';
  }
}

function isAskedToEnd({ leaving }: AgentProgramState): boolean {
  return leaving?.kind === 'exit' && isNormalExit(leaving.exit);
}

function exitByOutcome({ kind, reason }: RunOutcome): Exit {
  if (kind === 'succeeded' || kind === 'unverified') return { kind: 'normal' };
  if (kind === 'cancelled' || kind === 'killed') return { kind: 'shutdown', detail: reason };
  return { kind: 'failed', reason };
}
