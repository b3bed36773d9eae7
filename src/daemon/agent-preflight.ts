/** What has to be so before an agent is summoned: all of it, or it is not. In sentences; none: nothing is in the way. */
import type { AttemptSettings } from '../attempts/attempt.ts';
import { findInstallation } from '../attempts/installation.ts';
import { isRefusal } from '../base/errors.ts';
import type { OwnerOptions } from './owner-options.ts';
import type { Ground } from './places.ts';

export type AgentPreflight = (settings: AttemptSettings) => Promise<readonly string[]>;

/** Programs of ours need nothing. */
export function agentPreflight(
  options: OwnerOptions,
  { choose }: Pick<Ground, 'choose'>,
): AgentPreflight {
  return async ({ agent, sandbox, unsafe = false }) => {
    if (agent.cli === 'scripted') return [];
    const [program] = agent.cli === 'custom' ? (agent.command ?? agent.args) : [agent.cli];
    const missing =
      program === undefined || findInstallation(program, options.agentEnv) !== undefined
        ? []
        : [`${program} is not installed`];
    if (unsafe || sandbox === undefined) return missing;
    try {
      await choose({ backend: sandbox.backend, image: sandbox.image, unsafe: false });
      return missing;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return [...missing, error.message];
    }
  };
}
