/** Which agents a run uses because of its role, if the user names none. */
import { isRefusal } from '../base/errors.ts';
import type { RunRequest } from '../protocol/api.ts';
import type { Settings } from '../settings/settings.ts';
import { runAgents } from './run-agents.ts';

type Named = Pick<RunRequest, 'agent' | 'chain'>;

/**
 * A role names an agent or a CLI. The run begins with the agent of that id, else the first agent of that CLI,
 * else the CLI without configuration. The agents of the project follow.
 */
export function roleAgents(
  wanted: string | null,
  { agent, chain }: Named,
  { agents, selection }: Settings,
): Named {
  if (agent !== undefined || chain !== undefined || wanted === null) return {};
  const own = agents.find(({ id }) => id === wanted) ?? agents.find(({ cli }) => cli === wanted);
  if (own !== undefined) return { agent: own.id };
  if (agents.length === 0 || selection.mode === 'pinned') return { agent: wanted };
  return { chain: [wanted, ...agents.map(({ id }) => id)] };
}

/**
 * The CLIs that may get the prompt of the role: those of the whole chain. Empty: no agent is named, so it may
 * be any CLI.
 */
export function roleClis(
  wanted: string | null,
  named: Named,
  settings: Settings,
): readonly string[] {
  const own = roleAgents(wanted, named, settings);
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
