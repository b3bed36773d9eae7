import type { Finding } from '../protocol/views/diagnosis.ts';
import { diagnoseCli } from './diagnose-cli.ts';
import { diagnoseOwnAgent } from './diagnose-own-agents.ts';
import type { MachineFacts } from './machine-facts.ts';
import { AGENT_CLI_FACTS } from './supported-clis.ts';

/** The scripted agent needs nothing, so there is always an agent to try. */
const SCRIPTED: Finding = {
  id: 'scripted',
  section: 'agents',
  title: 'scripted',
  state: 'ok',
  found: 'built in',
  note: 'plays a script and ignores the task text',
  gives: 'An agent that plays a script. It needs no model and no account, and costs nothing.',
  get: null,
};

export function diagnoseAgents(facts: MachineFacts): readonly Finding[] {
  const findings = facts.agents.flatMap((agent) => {
    const known = AGENT_CLI_FACTS.find(({ cli }) => cli === agent.cli);
    return known === undefined ? [] : [diagnoseCli(agent, known, facts)];
  });
  const own = (facts.ownAgents ?? []).map((agent) => diagnoseOwnAgent(agent, facts));
  const isFree = ({ id }: Finding): boolean => own.every((one) => one.id !== id);
  return [...findings.filter(isFree), ...own, ...[SCRIPTED].filter(isFree)];
}
