/** Performs `survey`, which looks at the world before an agent is chosen, and `cool`, which lets one rest. */
import type { Clock } from '../base/clock.ts';
import { isoTime, at } from '../base/clock.ts';
import { isRefusal } from '../base/errors.ts';
import { retryWhileDiskFull } from '../base/retry-while-disk-full.ts';
import type { Performer } from '../engine/performer.ts';
import type { CooldownStore } from './cooldown-store.ts';
import { runStream } from '../protocol/event.ts';
import type { AgentOrder } from '../attempts/chain.ts';
import { orderChain } from '../attempts/chain.ts';
import type { AgentUsageStore } from './agent-usage-store.ts';
import type { Availability, AvailabilityInput } from '../protocol/commands.ts';

export type AvailabilityPorts = {
  readonly clock: Clock;
  readonly cooldowns: CooldownStore;
  readonly uses: AgentUsageStore;
};

export function availabilityPerformer({
  clock,
  cooldowns,
  uses,
}: AvailabilityPorts): Performer<'survey'> {
  /**
   * The agent with which each project's next run begins its round. Without it, runs that check
   * before any of them has begun would all begin with the same agent.
   */
  const promised = new Map<string, string>();
  /** By stream: which run will begin with which agent, until the journal shows it. */
  const unread = new Map<string, string>();
  return {
    command: 'survey',
    perform: async ({ run, key, input: { project, agents, chooses } }) => {
      const { attempts, firsts, waiting } = await uses.read();
      for (const stream of unread.keys()) if (stream in waiting) unread.delete(stream);
      const own = runStream(run);
      const others = Object.entries({ ...waiting, ...Object.fromEntries(unread) });
      const about = others.flatMap(([stream, identity]) => (stream === own ? [] : [identity]));
      const identities = new Set(agents.map(({ identity }) => identity));
      const cooling = cooldowns.cooling().filter(({ identity }) => identities.has(identity));
      const lastFirst = promised.get(project) ?? firsts[project] ?? null;
      if (key === 'survey-1' && chooses !== undefined) {
        const rests = new Set(cooling.map(({ identity }) => identity));
        const first = followerOf(lastFirst, agents, rests);
        promised.delete(project);
        if (first !== undefined) promised.set(project, first);
        forgetOldest(promised);
      }
      const usesOf = (identity: string): number =>
        (attempts[identity] ?? 0) + about.filter((one) => one === identity).length;
      const survey: Availability = {
        at: isoTime(clock.now()),
        cooling: cooling.map(({ identity, until, reason }) => ({
          identity,
          agent: agents.find((one) => one.identity === identity)?.id ?? identity,
          until: isoTime(at(until)),
          reason,
        })),
        uses: Object.fromEntries([...identities].map((identity) => [identity, usesOf(identity)])),
        lastFirst,
      };
      if (chooses === undefined) return survey;
      const begins = beginner({ agents, ...chooses }, survey);
      if (begins !== undefined) unread.set(own, begins);
      forgetOldest(unread);
      return { ...survey, begins: begins ?? null };
    },
  };
}

/**
 * The agent with which the run begins: the first of its order that is not cooling down; if all are,
 * none yet.
 */
function beginner(order: AgentOrder, survey: Availability): string | undefined {
  const rests = new Set(survey.cooling.map(({ identity }) => identity));
  const identities = orderChain(order, survey).flatMap(
    (id) => order.agents.find((agent) => agent.id === id)?.identity ?? [],
  );
  return identities.find((identity) => !rests.has(identity));
}

const PROMISES_MAX = 1000;

function forgetOldest(promised: Map<string, string>): void {
  const [oldest] = promised.keys();
  if (promised.size > PROMISES_MAX && oldest !== undefined) promised.delete(oldest);
}

/** The next one in the round that does not rest; where all do, simply the next. */
function followerOf(
  last: string | null,
  agents: AvailabilityInput['agents'],
  rests: ReadonlySet<string>,
): string | undefined {
  const place = agents.findIndex(({ id }) => id === last) + 1;
  const round = [...agents.slice(place), ...agents.slice(0, place)];
  return (round.find(({ identity }) => !rests.has(identity)) ?? round[0])?.id;
}

/** A full disk delays it: a cooldown that is not on record lets other runs try a limited agent. */
export function cooldownPerformer(cooldowns: CooldownStore, clock: Clock): Performer<'cool'> {
  return {
    command: 'cool',
    perform: async ({ run, input: { agent, identity, until, reason } }, { cancelSignal }) => {
      const untilMs = Date.parse(until);
      if (Number.isNaN(untilMs)) throw new Error(`${JSON.stringify(until)} is no time`);
      const cool = (): Promise<void> =>
        cooldowns.cool({ agent, identity, run, until: untilMs, reason });
      await retryWhileDiskFull(clock, cancelSignal, cool).catch((error: unknown) => {
        if (!cancelSignal.aborted || !isRefusal(error, 'store.full')) throw error;
      });
      return {};
    },
  };
}
