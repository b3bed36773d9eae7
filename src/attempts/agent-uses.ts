/** How often each identity was used, and with whom each project began last, folded from all runs' facts. */
import { isRecord } from '../base/json.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { AgentSettings } from '../protocol/settings.ts';
import { identityOf } from './identity.ts';

/** In both the one that was touched last stands last, so that the first can be forgotten. */
export type AgentUses = {
  readonly attempts: Readonly<Record<string, number>>;
  /** By project: the agent of the last run's first attempt. */
  readonly firsts: Readonly<Record<string, string>>;
};

export const NO_USES: AgentUses = { attempts: {}, firsts: {} };

/** Of each kind. */
export const USES_MAX = 1000;

export function foldUses(uses: AgentUses, event: StoredEvent): AgentUses {
  if (event.type !== 'command.begun' || event.payload.command !== 'attempt') return uses;
  const { key, input } = event.payload;
  const { agent, project } = input;
  if (!isAgent(agent)) return uses;
  const identity = identityOf(agent);
  const attempts = touched(uses.attempts, identity, (uses.attempts[identity] ?? 0) + 1);
  if (key !== 'attempt-1' || typeof project !== 'string') return { ...uses, attempts };
  return { attempts, firsts: touched(uses.firsts, project, agent.id) };
}

function touched<Value>(
  values: Readonly<Record<string, Value>>,
  key: string,
  value: Value,
): Readonly<Record<string, Value>> {
  const others = Object.entries(values).filter(([other]) => other !== key);
  return Object.fromEntries([...others.slice(1 - USES_MAX), [key, value]]);
}

/** As much of it as an identity needs. A fact of an older release may lack the rest. */
function isAgent(agent: unknown): agent is AgentSettings {
  return isRecord(agent) && typeof agent['cli'] === 'string' && Array.isArray(agent['args']);
}
