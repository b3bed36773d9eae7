/** Limits: whether an agent may start a turn now, and how long it cools down if it may not. */
import { agentIdentity } from '../attempts/choice/identity.ts';
import { recoveryPolicy } from '../attempts/choice/presets.ts';
import type { AgentProgramState } from './agent-state.ts';
import { update } from './agent-state.ts';
import { turnAgent } from './turn-input.ts';
import { askPerson, pendingNews } from './transitions.ts';
import type { AvailabilityInput, CommandEnd } from '../protocol/commands.ts';

export type CooldownWait = {
  readonly until: number;
  readonly reason: string;
  /** Whether the cooldown is not recorded for other runs yet. */
  readonly mustRecord: boolean;
};

/** Waits until the limit is over. If that is longer than the policy waits in total, a person is asked. */
export function coolDown(
  state: AgentProgramState,
  { until, reason, mustRecord }: CooldownWait,
  atMs: number,
): AgentProgramState {
  const { agent, attempt } = state.pinned;
  const { waitMaxMs } = recoveryPolicy(attempt.recovery);
  const coolingSince = state.turn.coolingSince ?? atMs;
  const news = pendingNews(state.phase);
  if (until <= coolingSince + waitMaxMs)
    return update(state, {
      phase: { kind: 'cooldown', until, reason, mustRecord, news },
      turn: { coolingSince, availabilityChecked: false },
    });
  const question = `${agent.name} is limited until ${new Date(until).toISOString()}, which is longer than it may wait: ${reason}`;
  const choices = ['continue', 'dismiss'];
  return askPerson(update(state, { streaks: { limits: 0 }, turn: { coolingSince: null } }), {
    ...{ question, choices, about: 'limit', news, onRestart: 'keep' },
  });
}

/** A long-lived agent has one identity and no chain. */
export function availabilityInput(state: AgentProgramState): AvailabilityInput {
  const agent = turnAgent(state);
  return {
    project: state.pinned.project,
    agents: [{ id: agent.id, identity: agentIdentity(agent) }],
  };
}

/** A check that failed does not keep the agent from its turn. */
export function afterAvailability(
  state: AgentProgramState,
  end: CommandEnd<'check-availability'>,
  atMs: number,
): AgentProgramState {
  if (end.kind === 'interrupted') return state;
  const { cooling } = end.kind === 'done' ? end.result : { cooling: [] };
  const identity = agentIdentity(turnAgent(state));
  const own = cooling.find((one) => one.identity === identity);
  const until = own === undefined ? Number.NaN : Date.parse(own.until);
  if (own === undefined || !(until > atMs))
    return update(state, { turn: { availabilityChecked: true } });
  return coolDown(state, { until, reason: own.reason, mustRecord: false }, atMs);
}

/** If a person skipped the wait, the turn starts without another check. */
export function afterCooldown(
  state: AgentProgramState,
  news: string | null,
  end: CommandEnd<'wait'>,
): AgentProgramState {
  const isSkipped = end.kind === 'done' && end.result.skipped === true;
  return update(state, {
    phase: { kind: 'turn', news },
    turn: { availabilityChecked: isSkipped },
  });
}
