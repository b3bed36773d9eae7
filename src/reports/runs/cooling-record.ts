/** The identities that cool down, as far as a run knows. */
import type { Availability } from '../../protocol/commands.ts';

export type CoolingRecord = {
  readonly agentId: string;
  readonly identity: string;
  readonly until: number;
  readonly reason: string;
};

export function withCooling(
  cooling: readonly CoolingRecord[],
  { identity, until, reason }: Availability['cooling'][number],
  agentId: string,
): readonly CoolingRecord[] {
  const others = cooling.filter((one) => one.identity !== identity);
  return [...others, { agentId, identity, until: Date.parse(until), reason }];
}

/** Adds the cooldowns of an availability check to those of the run itself. */
export function withAvailability(
  known: readonly CoolingRecord[],
  { cooling }: Availability,
): readonly CoolingRecord[] {
  return cooling.reduce((all, one) => {
    const agent = known.find(({ identity }) => identity === one.identity)?.agentId;
    return withCooling(all, one, agent ?? one.agent ?? one.identity);
  }, known);
}
