/**
 * Usage of agents, folded from the facts of all runs: how often each identity was used, which one a waiting run
 * will use, and the first agent of each project's last run.
 */
import type { StoredEvent } from '../protocol/event.ts';
import type { QuotaCounts } from './quota-stock.ts';
import { QuotaStock } from './quota-stock.ts';
import { agentIdentity } from '../attempts/choice/identity.ts';

/** Each record is ordered by last change, so that the oldest entry can be dropped. */
export type AgentUsageCounts = {
  readonly attempts: Readonly<Record<string, number>>;
  /** By project: the agent of the last run's first attempt. */
  readonly firsts: Readonly<Record<string, string>>;
  /**
   * By stream: the agent with which a run will begin after its availability check. Null: it has
   * begun, or never will.
   */
  readonly waiting: Readonly<Record<string, string | null>>;
  /** The windows of each identity. */
  readonly quota: QuotaCounts;
};

/** The maximum of entries in each record. */
export const USAGE_MAX = 1000;

/** Counts in place: each fact costs the same, however many are remembered. */
export class UsageCounter {
  readonly #attempts: Map<string, number>;
  readonly #firsts: Map<string, string>;
  readonly #waiting: Map<string, string | null>;
  readonly #quota: QuotaStock;

  constructor({ attempts = {}, firsts = {}, waiting = {}, quota }: Partial<AgentUsageCounts> = {}) {
    this.#quota = new QuotaStock(quota);
    this.#attempts = new Map(Object.entries(attempts));
    this.#firsts = new Map(Object.entries(firsts));
    this.#waiting = new Map(Object.entries(waiting));
  }

  count(event: StoredEvent): void {
    this.#countWaiting(event);
    this.#quota.count(event);
    if (event.type !== 'command.begun' || event.payload.command !== 'attempt') return;
    const { agent, project, number } = event.payload.input;
    const identity = agentIdentity(agent);
    touch(this.#attempts, identity, (this.#attempts.get(identity) ?? 0) + 1);
    if (number === 1) touch(this.#firsts, project, agent.id);
  }

  counts(): AgentUsageCounts {
    return {
      attempts: Object.fromEntries(this.#attempts),
      firsts: Object.fromEntries(this.#firsts),
      waiting: Object.fromEntries(this.#waiting),
      quota: this.#quota.counts(),
    };
  }

  #countWaiting(event: StoredEvent): void {
    const { stream } = event;
    if (event.type === 'command.ended') {
      const { command, end } = event.payload;
      if (command !== 'check-availability' || end.kind !== 'done') return;
      const { firstIdentity } = end.result;
      if (typeof firstIdentity === 'string') touch(this.#waiting, stream, firstIdentity);
      return;
    }
    const isOver =
      event.type === 'run.ended' ||
      (event.type === 'command.begun' && event.payload.command === 'attempt');
    // Only a run that is listed as waiting changes, and only once.
    if (isOver && typeof this.#waiting.get(stream) === 'string') touch(this.#waiting, stream, null);
  }
}

function touch<Value>(values: Map<string, Value>, key: string, value: Value): void {
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (values.size > USAGE_MAX && oldest !== undefined) values.delete(oldest);
}
