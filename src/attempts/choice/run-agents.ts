/** Which agents a run may use, from its request and the configuration. Unknown agents are refused here. */
import type { ChainSettings } from './chain.ts';
import { buildChain } from './chain.ts';
import {
  findScriptedProgram,
  isScriptedName,
  nearestScripted,
  SCRIPTED_LIST,
} from '../../adapters/scripted/scripted-programs.ts';
import { Refusal } from '../../base/errors.ts';
import { AGENT_CLIS } from '../../settings/agent-config.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { AgentId } from '../../base/ids.ts';
import type { AgentSettings } from '../../settings/agent-config.ts';
import type { Settings } from '../../settings/settings.ts';
import { findAgent } from '../../settings/settings.ts';
import { nearest } from '../../yaml/nearest.ts';
import { suggest } from '../../yaml/schema-faults.ts';

/**
 * The chain of a run. Its first agent makes the first attempt, unless the order is round-robin or least-used.
 * `ready` is the CLI to use if no agent is configured.
 */
export function runAgents(
  request: Pick<RunRequest, 'agent' | 'chain' | 'model'>,
  settings: Settings,
  ready: string | null,
): ChainSettings {
  const found = chainOf(request, settings, ready);
  if (request.model === undefined) return found;
  const { model } = request;
  const [first, ...others] = found.agents;
  if (first === undefined) return found;
  if (found.order !== 'as-listed')
    throw new Refusal({
      code: 'usage.invalid',
      message: `--model is the model of the first agent, and selection.mode is ${found.order}, so no agent is first.`,
      hint: `Name the agent too, such as: --agent ${first.id} --model ${model}`,
    });
  return { ...found, agents: [{ ...first, model }, ...others] };
}

function chainOf(
  { agent, chain }: Pick<RunRequest, 'agent' | 'chain'>,
  settings: Settings,
  ready: string | null,
): ChainSettings {
  const { mode, pinned, fallbacks } = settings.selection;
  if (agent !== undefined && chain !== undefined)
    throw new Refusal({
      code: 'usage.invalid',
      message:
        '--agent and --chain cannot be used together: the chain already names the first agent.',
    });
  if (chain !== undefined) return exactly(chain.map((id) => requireAgent(id, settings)));
  if (agent !== undefined) return named(agent, settings);
  switch (mode) {
    case 'pinned':
      if (pinned === null)
        throw noAgent(settings, 'selection.mode is pinned, but selection.pinned names no agent.');
      return exactly([requireAgent(pinned, settings)]);
    case 'round-robin':
    case 'least-used':
      if (settings.agents.length === 0) break;
      return { agents: candidates(settings), order: mode, fallbacks };
    case 'fallback':
      break;
  }
  const first = settings.defaultAgent ?? settings.agents[0]?.id ?? ready;
  if (first === null)
    throw noAgent(
      settings,
      'No agent is named, none is configured, and no agent CLI is installed and logged in here.',
    );
  return startingWith(first, settings);
}

function exactly(agents: readonly AgentSettings[]): ChainSettings {
  return { agents, order: 'as-listed', fallbacks: {} };
}

/**
 * The agent that a request names is first. Its own fallbacks follow, then those that a run without a named agent
 * would use. A scripted agent that no configuration names is for trying things out, so it is alone: a failure that
 * a person plays should not cost money.
 */
function named(id: string, settings: Settings): ChainSettings {
  const { agents, defaultAgent, selection } = settings;
  const first = requireAgent(id, settings);
  const isConfigured =
    agents.some((agent) => agent.id === id) ||
    defaultAgent === id ||
    Object.entries(selection.fallbacks).flat().includes(id);
  if (first.cli === 'scripted' && !isConfigured) return exactly([first]);
  const usual = defaultAgent ?? agents[0]?.id ?? Object.keys(selection.fallbacks)[0];
  const ids = [id, ...(usual === undefined ? [] : [usual])].flatMap((one) =>
    buildChain(startingWith(one, settings), null),
  );
  return exactly([...new Set(ids)].map((one) => requireAgent(one, settings)));
}

/** An agent that is not configured has no followers, unless `selection.fallbacks` names one. */
function startingWith(id: string, settings: Settings): ChainSettings {
  const first = requireAgent(id, settings);
  const { fallbacks } = settings.selection;
  const isOwn = settings.agents.some((agent) => agent.id === id);
  if (!isOwn && !Object.hasOwn(fallbacks, id)) return exactly([first]);
  const others = candidates(settings).filter((agent) => agent.id !== id);
  return { agents: [first, ...others], order: 'as-listed', fallbacks };
}

/** The configured agents, and the plain CLIs that `selection.fallbacks` names. */
function candidates(settings: Settings): readonly AgentSettings[] {
  const { fallbacks } = settings.selection;
  const named = Object.entries(fallbacks).flat();
  const agents = [...settings.agents.map(({ id }) => id as string), ...named];
  return [...new Set(agents)].map((id) => requireAgent(id, settings));
}

/** An agent that a project defines must not run as the user, even if other agents may. */
export function needsSandboxRefusal(id: string): Refusal {
  return new Refusal({
    code: 'sandbox.policy-refused',
    message: `The agent ${id} is defined by the project, so it does not run without a sandbox.`,
    hint: 'Leave out --unsafe-no-sandbox, or define the agent in your own settings.',
  });
}

/** A configured agent, else the plain agent of a CLI. */
export function findNamedAgent(settings: Settings, id: string): AgentSettings | undefined {
  return findAgent(settings, id) ?? scripted(id, settings);
}

function requireAgent(id: string, settings: Settings): AgentSettings {
  const agent = findNamedAgent(settings, id);
  if (agent !== undefined) return { ...agent, id: id as AgentId };
  const ids = listKnown(settings);
  const isScripted = isScriptedName(id);
  const meant = isScripted ? nearestScripted(id) : nearest(id, ids);
  throw new Refusal({
    code: 'agent.unknown',
    message: `There is no agent ${JSON.stringify(id)} here${suggest(meant)}.`,
    hint: isScripted ? `Use ${SCRIPTED_LIST}` : `Use one of: ${ids.join(', ')}`,
  });
}

/** `scripted:NAME` is the scripted agent with another program, and counts as another agent. */
function scripted(id: string, settings: Settings): AgentSettings | undefined {
  const program = isScriptedName(id) ? findScriptedProgram(id) : undefined;
  const agent = program === undefined ? undefined : findAgent(settings, 'scripted');
  return agent === undefined || program === undefined ? undefined : { ...agent, model: program };
}

function listKnown(settings: Settings): readonly string[] {
  const ids = settings.agents.map(({ id }) => id as string);
  return [...new Set([...ids, ...AGENT_CLIS.filter((cli) => cli !== 'custom')])];
}

function noAgent({ agents: [first] }: Settings, message: string): Refusal {
  return new Refusal({
    code: 'agent.unknown',
    message,
    hint:
      first === undefined
        ? 'Install an agent CLI and log in, or set its key: supervisor doctor shows how. To try Supervisor without one: --agent scripted'
        : `Name one with --agent, such as: --agent ${first.id}`,
  });
}
