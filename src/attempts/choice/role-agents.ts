/** Which agents a run uses because of its role, if the user names none. */
import { isRefusal } from '../../base/errors.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Settings } from '../../settings/settings.ts';
import { runAgents } from './run-agents.ts';

type NamedAgents = Pick<RunRequest, 'agent' | 'chain'>;

/**
 * A role names an agent or a CLI. The run begins with the agent of that id, else the first agent of that CLI,
 * else the CLI without configuration. The agents of the project follow.
 */
export function roleAgents(
  preferred: string | null,
  { agent, chain }: NamedAgents,
  { agents, selection }: Settings,
): NamedAgents {
  if (agent !== undefined || chain !== undefined || preferred === null) return {};
  const own =
    agents.find(({ id }) => id === preferred) ?? agents.find(({ cli }) => cli === preferred);
  if (own !== undefined) return { agent: own.id };
  if (agents.length === 0 || selection.mode === 'pinned') return { agent: preferred };
  return { chain: [preferred, ...agents.map(({ id }) => id)] };
}

/**
 * The CLIs that may get the prompt of the role: those of the whole chain. Empty: no agent is named, so it may
 * be any CLI.
 */
export function roleClis(
  preferred: string | null,
  named: NamedAgents,
  settings: Settings,
): readonly string[] {
  const own = roleAgents(preferred, named, settings);
  const request = {
    ...(named.agent === undefined ? {} : { agent: named.agent }),
    ...(named.chain === undefined ? {} : { chain: named.chain }),
    ...own,
  };
  try {
    return [...new Set(runAgents(request, settings, null).agents.map(({ cli }) => cli))];
  } catch (error) {
    if (isRefusal(error)) return []; // The submission reports the refusal.
    throw error;
  }
}
