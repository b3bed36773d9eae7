/** How often each identity was used, who is about to be, and with whom each project began last, folded from all runs' facts. */
import { isRecord } from '../base/json.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { AgentSettings } from '../protocol/settings.ts';
import { identityOf } from './identity.ts';

/** In both the one that was touched last stands last, so that the first can be forgotten. */
export type AgentUses = {
  readonly attempts: Readonly<Record<string, number>>;
  /** By project: the agent of the last run's first attempt. */
  readonly firsts: Readonly<Record<string, string>>;
  /** By stream: with whom a run that has looked around will begin; null: it has, or never will. */
  readonly waiting: Readonly<Record<string, string | null>>;
};

export const NO_USES: AgentUses = { attempts: {}, firsts: {}, waiting: {} };

/** Of each kind. */
export const USES_MAX = 1000;

export function foldUses(before: AgentUses, event: StoredEvent): AgentUses {
  const waiting = foldWaiting(before.waiting, event);
  const uses = waiting === before.waiting ? before : { ...before, waiting };
  if (event.type !== 'command.begun' || event.payload.command !== 'attempt') return uses;
  const { key, input } = event.payload;
  const { agent, project } = input;
  if (!isAgent(agent)) return uses;
  const identity = identityOf(agent);
  const attempts = touched(uses.attempts, identity, (uses.attempts[identity] ?? 0) + 1);
  if (key !== 'attempt-1' || typeof project !== 'string') return { ...uses, attempts };
  return { ...uses, attempts, firsts: touched(uses.firsts, project, agent.id) };
}

function foldWaiting(waiting: AgentUses['waiting'], event: StoredEvent): AgentUses['waiting'] {
  const { stream } = event;
  if (event.type === 'command.ended') {
    const { key, end } = event.payload;
    if (end.kind !== 'done' || !key.startsWith('survey-')) return waiting;
    const { begins } = end.result;
    return typeof begins === 'string' ? touched(waiting, stream, begins) : waiting;
  }
  const isOver =
    event.type === 'run.ended' ||
    (event.type === 'command.begun' && event.payload.command === 'attempt');
  // Once is enough, and a run that was never written down here need not be.
  return isOver && typeof waiting[stream] === 'string' ? touched(waiting, stream, null) : waiting;
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
