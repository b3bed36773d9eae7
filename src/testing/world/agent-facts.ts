/** Reads the facts of long-lived agents: each with the state before it and after it. */
import { lifeProgram } from '../../lifecycle/life-program.ts';
import type { LifeState } from '../../lifecycle/life-state.ts';
import type { LifeSettings } from '../../protocol/life.ts';
import { LIFE_PROGRAM } from '../../protocol/life.ts';
import type { Invariant } from './attempt-rules.ts';
import { runsOf } from './lineage.ts';
import type { Fact, WorldRecord } from './record.ts';

export type Step = { readonly fact: Fact; readonly before: LifeState; readonly after: LifeState };

export type Agent = {
  readonly run: string;
  readonly project: string;
  readonly life: LifeSettings;
  /** When it was summoned. */
  readonly first: Fact;
  /** What came after that. */
  readonly steps: readonly Step[];
};

const KNOWN = new WeakMap<WorldRecord, readonly Agent[]>();

export function agentsOf(record: WorldRecord): readonly Agent[] {
  const known = KNOWN.get(record);
  if (known !== undefined) return known;
  const agents = [...runsOf(record.facts)].flatMap(([run, [first, ...rest]]): Agent[] => {
    if (first?.type !== 'run.submitted' || first.payload.program !== LIFE_PROGRAM) return [];
    let state: LifeState = lifeProgram.start(first.payload);
    const { project, life } = state;
    const steps = rest.map((fact): Step => {
      const before = state;
      state = lifeProgram.fold(state, fact);
      return { fact, before, after: state };
    });
    return [{ run, project, life, first, steps }];
  });
  KNOWN.set(record, agents);
  return agents;
}

/** A rule that concerns each agent by itself. */
export function agentRule(
  name: string,
  breaches: (agent: Agent, record: WorldRecord) => readonly string[],
): Invariant {
  return {
    name,
    breaches: (record) => agentsOf(record).flatMap((agent) => breaches(agent, record)),
  };
}

/** The commands of an agent that were open just before a step. */
export function openBefore({ before }: Step, ...commands: readonly string[]): readonly string[] {
  return before.open.flatMap(({ key, command }) => (commands.includes(command) ? [key] : []));
}

export function isOver({ after }: Step): boolean {
  return after.closing !== null;
}
