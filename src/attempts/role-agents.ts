/** Which agents a role gives a run, where the user names none. */
import { isRefusal } from '../base/errors.ts';
import type { RunRequest } from '../protocol/api.ts';
import type { Settings } from '../settings/settings.ts';
import { runAgents } from './run-agents.ts';

type Named = Pick<RunRequest, 'agent' | 'chain'>;

/**
 * A role names an agent or a CLI: then the first agent that is one, else the CLI as it is. Behind it
 * stand the project's own.
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
 * The CLIs that may be given its prompt: those of the whole chain. Empty: nobody has named any, so it may
 * be any of them.
 */
export function roleClis(
  wanted: string | null,
  named: Named,
  settings: Settings,
): readonly string[] {
  const own = roleAgents(wanted, named, settings);
  const wish = {
    ...(named.agent === undefined ? {} : { agent: named.agent }),
    ...(named.chain === undefined ? {} : { chain: named.chain }),
    ...own,
  };
  try {
    return [...new Set(runAgents(wish, settings, null).agents.map(({ cli }) => cli))];
  } catch (error) {
    if (isRefusal(error)) return []; // whoever submits it is told why
    throw error;
  }
}
