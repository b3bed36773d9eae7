/** Reads the facts of long-lived agents, each with the state before it and after it. */
import { agentProgram } from '../../../src/agents/agent-program.ts';
import type { AgentProgramState } from '../../../src/agents/agent-state.ts';
import { agentState } from '../../../src/agents/agent-status.ts';
import type { AgentState, LongLivedSettings } from '../../../src/protocol/long-lived-agent.ts';
import { AGENT_PROGRAM } from '../../../src/protocol/agent-program-name.ts';
import type { Invariant } from './attempt-rules.ts';
import { groupByRun } from './lineage.ts';
import type { RunFact, WorldRecord } from './record.ts';

export type AgentFactStep = {
  readonly fact: RunFact;
  readonly before: AgentProgramState;
  readonly after: AgentProgramState;
  readonly from: AgentState;
  readonly to: AgentState;
};

export type SimulatedAgent = {
  readonly run: string;
  readonly project: string;
  readonly life: LongLivedSettings;
  /** When it was spawned. */
  readonly first: RunFact;
  /** The facts after that. */
  readonly steps: readonly AgentFactStep[];
};

const KNOWN = new WeakMap<WorldRecord, readonly SimulatedAgent[]>();

export function agentsOf(record: WorldRecord): readonly SimulatedAgent[] {
  const known = KNOWN.get(record);
  if (known !== undefined) return known;
  const agents = [...groupByRun(record.facts)].flatMap(
    ([run, [first, ...rest]]): SimulatedAgent[] => {
      if (first?.type !== 'run.submitted' || first.payload.program !== AGENT_PROGRAM) return [];
      let state: AgentProgramState = agentProgram.start(first.payload);
      const { project, agent: life } = state.pinned;
      const steps = rest.map((fact): AgentFactStep => {
        const before = state;
        state = agentProgram.fold(state, fact);
        return {
          ...{ fact, before, after: state },
          ...{ from: agentState(before), to: agentState(state) },
        };
      });
      return [{ run, project, life, first, steps }];
    },
  );
  KNOWN.set(record, agents);
  return agents;
}

/** A rule about each agent separately. */
export function agentRule(
  name: string,
  breaches: (agent: SimulatedAgent, record: WorldRecord) => readonly string[],
): Invariant {
  return {
    name,
    breaches: (record) => agentsOf(record).flatMap((agent) => breaches(agent, record)),
  };
}

/** The commands of an agent that were open just before a step. */
export function openBefore(
  { before }: AgentFactStep,
  ...commands: readonly string[]
): readonly string[] {
  return before.open.flatMap(({ key, command }) => (commands.includes(command) ? [key] : []));
}

export function isOver({ after }: AgentFactStep): boolean {
  return after.ending.outcome !== null;
}
