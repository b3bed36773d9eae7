/**
 * The budget monitor: it warns an agent and its parent when a budget comes to an end, and tells those who
 * give to others what they have left. At the end of a budget the gateway lets no call through and a person
 * is asked; that is not for it to decide.
 */
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import { remainder } from '../lifecycle/grants.ts';
import { say } from '../monitors/reactions.ts';
import type { Warned } from '../monitors/purse-watch.ts';
import { sayLeft, sayShares, warnings } from '../monitors/purse-watch.ts';
import type { Share } from '../protocol/deed.ts';
import type { Caps } from '../protocol/life-rules.ts';
import type { ChildSpec } from '../supervision/index.ts';
import type { Deeds } from './deeds.ts';
import { every, monitorChild, together } from './monitor-child.ts';
import { sendSignals } from './send-signals.ts';
import type { LivingAgent, Watched } from './watched.ts';

export type BudgetPorts = {
  readonly clock: Clock;
  readonly deeds: Deeds;
  readonly agents: Watched;
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
};

const LEFT_EVERY_MS = 600_000;
const NAME = 'the budget monitor';

type Entry = {
  readonly shares: readonly Share[];
  readonly warned: Warned;
  /** What it was last told that it has left. */
  readonly left: string;
};

const NOTHING: Entry = { shares: [], warned: [], left: '' };

export function budgetChild(ports: BudgetPorts): ChildSpec {
  return monitorChild('budget', (signal) => {
    const monitor = new BudgetMonitor(ports);
    return together(
      signal,
      (until) => monitor.hear(until),
      (until) => every(ports.clock, LEFT_EVERY_MS, until, () => monitor.tellLeft()),
    );
  });
}

class BudgetMonitor {
  readonly #ports: BudgetPorts;
  readonly #entries = new Map<RunId, Entry>();

  constructor(ports: BudgetPorts) {
    this.#ports = ports;
  }

  async hear(signal: AbortSignal): Promise<void> {
    const { deeds, agents } = this.#ports;
    for await (const { run, sighting } of deeds.listen(signal)) {
      if (sighting.kind !== 'purse') continue;
      const agent = agents.get(run);
      if (agent !== undefined) await this.#warn(agent, sighting.shares);
    }
  }

  async #warn(agent: LivingAgent, shares: readonly Share[]): Promise<void> {
    const { agents, log } = this.#ports;
    const { run, settings } = agent;
    const before = this.#entries.get(run) ?? NOTHING;
    const { near, warned } = warnings(shares, before.warned);
    this.#entries.set(run, { ...before, shares, warned });
    if (near.length === 0) return;
    const used = sayShares(near);
    const text = `You have used ${used}. Bring what you do to an end that can be checked, or say what is missing.`;
    await sendSignals(run, [say(NAME, text)], agents, log);
    const parent = settings.parent === null ? undefined : agents.get(settings.parent as RunId);
    const told = say(NAME, `${settings.name} has used ${used}.`);
    if (parent !== undefined) await sendSignals(parent.run, [told], agents, log);
    log(`${settings.name} (${run}) has used ${used}`);
  }

  /** Only to those at work: a message would wake the others, which costs more than it tells. */
  async tellLeft(): Promise<void> {
    const { agents, log } = this.#ports;
    const living = agents.living();
    const runs = new Set(living.map(({ run }) => run));
    for (const run of this.#entries.keys()) if (!runs.has(run)) this.#entries.delete(run);
    const children = Map.groupBy(living, ({ settings }) => settings.parent);
    for (const agent of living) {
      const own = children.get(agent.run) ?? [];
      if (own.length === 0 || agent.standing.state !== 'working') continue;
      const before = this.#entries.get(agent.run) ?? NOTHING;
      const left = sayLeft(leftOf(agent, before.shares, own));
      if (left === '' || left === before.left) continue;
      this.#entries.set(agent.run, { ...before, left });
      const text = `Of your budget ${left} are left to spend or to give to others.`;
      await sendSignals(agent.run, [say(NAME, text)], agents, log);
    }
    const near = [...this.#entries.values()].filter(({ warned }) => warned.length > 0).length;
    this.#ports.say(`watches ${living.length} agents, ${near} near the end of a budget`);
  }
}

/** What has been given to a child is gone, whether or not it was spent. */
function leftOf(
  { settings }: LivingAgent,
  shares: readonly Share[],
  children: readonly LivingAgent[],
): Caps {
  const spent = (limit: Share['limit']): number =>
    shares.find((share) => share.limit === limit)?.spent ?? 0;
  const own = {
    usd: spent('usd'),
    tokens: spent('tokens'),
    calls: spent('calls'),
    wallMs: spent('wall'),
  };
  // Time is nobody's to give: it goes by for all of them at once.
  const given = children.map(({ settings: { grant } }) => ({
    usd: grant.budget.usd ?? 0,
    tokens: grant.budget.tokens ?? 0,
    calls: grant.budget.calls ?? 0,
    wallMs: 0,
  }));
  return remainder(settings.grant.budget, [own, ...given]);
}
