/**
 * Checks, before a run exists, that at least one of its agents can reach a model. Without this check, the run would be
 * prepared, and then wait for a key that it never had.
 */
import { findNamedAgent } from '../../attempts/choice/run-agents.ts';
import { Refusal } from '../../base/errors.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { findCredentials } from '../../execution/model-gateway/find-credentials.ts';
import { missingKeyRefusal } from '../../execution/model-gateway/model-gateway.ts';
import { refusalOr } from '../../execution/refusal-outcome.ts';
import { missingKeys } from '../../gateway/network/upstreams.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { Settings } from '../../settings/settings.ts';

type Ports = Pick<ExecutionHost, 'clock' | 'userDir' | 'ownerEnv'>;

/** Refuses with what each agent lacks. Without a sandbox, each CLI uses its own login. */
export async function requireKeys(
  { settings: { agent, chain = [agent], unsafe = false } }: Submission,
  settings: Settings,
  ports: Ports,
): Promise<void> {
  if (unsafe) return;
  const lacking: { readonly id: string; readonly refusal: Refusal }[] = [];
  for (const one of chain) {
    const refusal = await lackedKey(one, settings, ports);
    if (refusal === undefined) return;
    lacking.push({ id: one.id, refusal });
  }
  const [first, ...others] = lacking;
  if (first === undefined) return;
  if (others.length === 0) throw first.refusal;
  const each = lacking.map(({ id, refusal }) => `${id}: ${refusal.message.replace(/\.$/, '')}`);
  throw new Refusal({
    code: 'agent.no-key',
    message: `No agent of this run can reach a model. ${each.join('; ')}.`,
    hint: 'Set one of the keys, or log in, and run the command again from that shell.',
  });
}

/** Undefined: the agent has what it needs, or needs no key. */
async function lackedKey(
  agent: AgentSpec,
  settings: Settings,
  ports: Ports,
): Promise<Refusal | undefined> {
  if (agent.cli === 'scripted') return undefined;
  // The pinned agent has no secrets.
  const { env } = findNamedAgent(settings, agent.id) ?? agent;
  const found = await refusalOr(findCredentials({ ...agent, env }, ports));
  if (found instanceof Refusal) return found;
  const missing = missingKeys(agent.cli, found.upstreams);
  return missing.length === 0 ? undefined : missingKeyRefusal(agent.cli, missing);
}
