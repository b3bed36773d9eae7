/** Limits: whether an agent may begin a turn now, and how long it rests where it may not. */
import { agentIdentity } from '../attempts/identity.ts';
import { recoveryPolicy } from '../attempts/presets.ts';
import type { Availability, AvailabilityInput } from '../attempts/availability.ts';
import type { CommandEnd } from '../protocol/event.ts';
import type { AgentStateChange, AgentProgramState } from './agent-state.ts';
import { turnAgent } from './turn-input.ts';
import { askPerson, pendingNews } from './transitions.ts';

export type CooldownWait = {
  readonly until: number;
  readonly reason: string;
  /** Whether nobody has written it down yet. */
  readonly cools: boolean;
};

/** Until the limit is over, and never longer than the policy waits in all. */
export function coolDown(
  state: AgentProgramState,
  { until, reason, cools }: CooldownWait,
  atMs: number,
): AgentStateChange {
  const { waitMaxMs } = recoveryPolicy(state.settings.recovery);
  const restingSince = state.restingSince ?? atMs;
  const news = pendingNews(state.phase);
  if (until <= restingSince + waitMaxMs)
    return { restingSince, looked: false, phase: { kind: 'rest', until, reason, cools, news } };
  const question = `${state.life.name} is limited until ${new Date(until).toISOString()}, which is longer than it may wait: ${reason}`;
  const choices = ['continue', 'dismiss'];
  const asked = askPerson(state, { question, choices, about: 'limit', news, onRestart: 'keep' });
  return { limits: 0, restingSince: null, ...asked };
}

/** Of a long-lived agent there is one to choose from: nobody's round goes on by this look. */
export function availabilityInput(state: AgentProgramState): AvailabilityInput {
  const agent = turnAgent(state);
  return { project: state.project, agents: [{ id: agent.id, identity: agentIdentity(agent) }] };
}

/** Whoever could not look must not be kept from going on by that. */
export function afterAvailability(
  state: AgentProgramState,
  end: CommandEnd,
  atMs: number,
): AgentStateChange {
  if (end.kind === 'lost') return {};
  const found = end.kind === 'done' ? end.result['cooling'] : undefined;
  const cooling = Array.isArray(found) ? (found as unknown as Availability['cooling']) : [];
  const identity = agentIdentity(turnAgent(state));
  const own = cooling.find((one) => one.identity === identity);
  const until = own === undefined ? Number.NaN : Date.parse(own.until);
  if (own === undefined || !(until > atMs)) return { looked: true };
  return coolDown(state, { until, reason: own.reason, cools: false }, atMs);
}

/** A person who says that it need not wait is taken at their word. */
export function afterCooldown(news: string | null, end: CommandEnd): AgentStateChange {
  const looked = end.kind === 'done' && end.result['skipped'] === true;
  return { looked, phase: { kind: 'turn', news } };
}
