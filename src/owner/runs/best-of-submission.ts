/** Turns the submission of a plain run into one that lets several agents do its task. */
import { Refusal } from '../../base/errors.ts';
import { shortList } from '../../base/text.ts';
import { agentIdentity } from '../../attempts/choice/identity.ts';
import type { RunRequest } from '../../protocol/api.ts';
import { BEST_OF_PROGRAM } from '../../protocol/best-of.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { AttemptsSubmission, BestOfSubmission } from '../../protocol/run-submission.ts';

/** Refuses what cannot be judged, or what would mix the work of two agents. */
export function bestOfSubmission(
  { settings, ...plain }: AttemptsSubmission,
  count: number,
): BestOfSubmission {
  const { agent, chain = [agent], gates = [], unsafe = false } = settings;
  if (unsafe)
    throw refuse(
      '--best-of and --unsafe-no-sandbox cannot be used together: agents without a sandbox work in the same files.',
      'Omit one of them.',
    );
  if (gates.every(({ warns }) => warns === true))
    throw refuse(
      `--best-of ${count} needs a gate: nothing else judges which work is the best.`,
      'Add one, such as: --gate "npm test". To find some: supervisor init',
    );
  const agents = differentAgents(chain);
  if (agents.length < count)
    throw refuse(
      `--best-of ${count} needs ${count} different agents, and there ${agents.length === 1 ? 'is' : 'are'} ${agents.length}: ${shortList(
        agents.map(({ id }) => id),
        5,
      )}.`,
      'Name agents with --chain, or configure more of them. Agents with the same CLI, login, arguments and model count once.',
    );
  const chosen = agents.slice(0, count).map(inCopy);
  const [first = agent] = chosen;
  return {
    ...plain,
    program: BEST_OF_PROGRAM,
    settings: { ...settings, agent: first, chain: chosen, bestOf: { agents: chosen } },
  };
}

/** The same agent twice would only repeat itself. */
function differentAgents(chain: readonly AgentSpec[]): readonly AgentSpec[] {
  return [
    ...new Map(chain.toReversed().map((one) => [agentIdentity(one), one])).values(),
  ].toReversed();
}

/** Two agents must never work in the project itself. */
function inCopy(agent: AgentSpec): AgentSpec {
  return agent.inProject === undefined ? agent : { ...agent, inProject: false };
}

/** Refuses options of the request that say something else than `--best-of`. */
export function refuseMixed({ bestOf, workflow, once, interactive }: RunRequest): void {
  if (bestOf === undefined) return;
  if (workflow !== undefined)
    throw refuse(
      '--best-of and --workflow cannot be used together: the steps of a workflow name their own agents.',
      'Omit one of them.',
    );
  if (interactive === true)
    throw refuse(
      '--best-of and --interactive cannot be used together: you have one terminal.',
      'Omit one of them.',
    );
  if (once === true)
    throw refuse(
      '--best-of and --once cannot be used together: --once is one attempt of one agent.',
      'Omit one of them. For one attempt of each agent: --set recovery.attempts_max=1',
    );
}

function refuse(message: string, hint: string): Refusal {
  return new Refusal({ code: 'usage.invalid', message, hint });
}
