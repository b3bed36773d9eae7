/** Performs `check-availability`, before an agent is chosen, and `set-cooldown`. */
import type { Clock } from '../base/clock.ts';
import { isoTime, at } from '../base/clock.ts';
import { isRefusal } from '../base/errors.ts';
import { retryWhileDiskFull } from '../base/retry-while-disk-full.ts';
import type { Performer } from '../engine/performer.ts';
import type { CooldownStore } from './cooldown-store.ts';
import { runStream } from '../protocol/streams.ts';
import type { AgentOrder } from '../attempts/choice/chain.ts';
import { orderChain } from '../attempts/choice/chain.ts';
import type { AgentUsageStore } from './agent-usage-store.ts';
import type { Availability, AvailabilityInput } from '../protocol/commands.ts';
import { QuotaStock } from './quota-stock.ts';

export type AvailabilityPorts = {
  readonly clock: Clock;
  readonly cooldowns: CooldownStore;
  readonly usage: AgentUsageStore;
};

export function availabilityPerformer({
  clock,
  cooldowns,
  usage,
}: AvailabilityPorts): Performer<'check-availability'> {
  /**
   * The agent with which each project's next run firstIdentity its round. Without it, runs that check
   * before any of them has begun would all begin with the same agent.
   */
  const assignedFirst = new Map<string, string>();
  /** By stream: which run will begin with which agent, until the journal shows it. */
  const unrecorded = new Map<string, string>();
  return {
    command: 'check-availability',
    perform: async ({ run, input: { project, agents, selection } }) => {
      const { attempts, firsts, waiting, quota } = await usage.read();
      for (const stream of unrecorded.keys()) if (stream in waiting) unrecorded.delete(stream);
      const ownStream = runStream(run);
      const others = Object.entries({ ...waiting, ...Object.fromEntries(unrecorded) });
      const aboutToStart = others.flatMap(([stream, identity]) =>
        stream === ownStream ? [] : [identity],
      );
      const identities = new Set(agents.map(({ identity }) => identity));
      const cooling = cooldowns.cooling().filter(({ identity }) => identities.has(identity));
      const lastFirst = assignedFirst.get(project) ?? firsts[project] ?? null;
      if (selection?.isFirstCheck === true) {
        const coolingIdentities = new Set(cooling.map(({ identity }) => identity));
        const first = nextInRound(lastFirst, agents, coolingIdentities);
        assignedFirst.delete(project);
        if (first !== undefined) assignedFirst.set(project, first);
        forgetOldest(assignedFirst);
      }
      const countStarting = (identity: string): number =>
        aboutToStart.filter((one) => one === identity).length;
      const countUses = (identity: string): number =>
        (attempts[identity] ?? 0) + countStarting(identity);
      const stock = new QuotaStock(quota);
      const closing = [...identities].flatMap((identity) =>
        stock
          .closing(identity, countStarting(identity), clock.now())
          .map((window) => ({ identity, ...window })),
      );
      const availability: Availability = {
        at: isoTime(clock.now()),
        cooling: cooling.map(({ identity, until, reason }) => ({
          identity,
          agent: agents.find((one) => one.identity === identity)?.id ?? identity,
          until: isoTime(at(until)),
          reason,
        })),
        uses: Object.fromEntries(
          [...identities].map((identity) => [identity, countUses(identity)]),
        ),
        lastFirst,
        ...(closing.length === 0 ? {} : { closing }),
      };
      if (selection === undefined) return availability;
      const firstIdentity = chooseFirst({ agents, ...selection }, availability);
      if (firstIdentity !== undefined) unrecorded.set(ownStream, firstIdentity);
      forgetOldest(unrecorded);
      return { ...availability, firstIdentity: firstIdentity ?? null };
    },
  };
}

/**
 * The agent with which the run firstIdentity: the first of its order that is not cooling down; if all are,
 * none yet.
 */
function chooseFirst(order: AgentOrder, availability: Availability): string | undefined {
  const coolingIdentities = new Set(availability.cooling.map(({ identity }) => identity));
  const identities = orderChain(order, availability).flatMap(
    (id) => order.agents.find((agent) => agent.id === id)?.identity ?? [],
  );
  const free = identities.filter((identity) => !coolingIdentities.has(identity));
  const isClosing = (identity: string): boolean =>
    availability.closing?.some((one) => one.identity === identity) === true;
  return free.find((identity) => !isClosing(identity)) ?? free[0];
}

const REMEMBERED_MAX = 1000;

function forgetOldest(entries: Map<string, string>): void {
  const [oldest] = entries.keys();
  if (entries.size > REMEMBERED_MAX && oldest !== undefined) entries.delete(oldest);
}

/** The next agent in the round that is not cooling down; if all are, the next one. */
function nextInRound(
  last: string | null,
  agents: AvailabilityInput['agents'],
  coolingIdentities: ReadonlySet<string>,
): string | undefined {
  const start = agents.findIndex(({ id }) => id === last) + 1;
  const round = [...agents.slice(start), ...agents.slice(0, start)];
  return (round.find(({ identity }) => !coolingIdentities.has(identity)) ?? round[0])?.id;
}

/** A full disk delays it: a cooldown that is not on record lets other runs try a limited agent. */
export function cooldownPerformer(
  cooldowns: CooldownStore,
  clock: Clock,
): Performer<'set-cooldown'> {
  return {
    command: 'set-cooldown',
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
