/** The requests about the owner itself, and about what all runs of this machine share: cooldowns, breakers, old files. */
import { defined } from '../base/defined.ts';
import { OwnerView } from '../protocol/api.ts';
import { DashboardLink, EndedAccess } from '../protocol/dashboard-access.ts';
import type { LinkRequest, QuestionLinkRequest } from '../protocol/dashboard-access.ts';
import { ScheduleView } from '../protocol/views/schedule-view.ts';
import { BreakerView } from '../protocol/breaker.ts';
import { CooldownView } from '../protocol/views/cooldown-view.ts';
import type { BoardItem, BoardRequest } from '../protocol/views/board.ts';
import type { MetricGroup } from '../protocol/metric-groups.ts';
import { MetricsView } from '../protocol/views/metrics-view.ts';
import { PrunePlan, Pruned } from '../protocol/views/prune-view.ts';
import type { PruneRequest } from '../protocol/views/prune-view.ts';
import { TreeView } from '../protocol/views/tree-view.ts';
import { query } from './api-paths.ts';
import type { OwnerCalls } from './owner-calls.ts';
import type { TransportCall } from './transport.ts';

export class MachineClient {
  readonly #calls: Pick<OwnerCalls, 'json' | 'follow'>;

  constructor(calls: Pick<OwnerCalls, 'json' | 'follow'>) {
    this.#calls = calls;
  }

  async owner(signal?: AbortSignal): Promise<OwnerView> {
    const call: TransportCall = { method: 'GET', ...defined({ signal }) };
    return OwnerView.parse(await this.#calls.json('/v1/owner', call));
  }

  async stopOwner(): Promise<void> {
    await this.#calls.json('/v1/owner/stop', { method: 'POST' });
  }

  /** Keeps the owner running, even when it is idle. */
  async stayOwner(): Promise<OwnerView> {
    return OwnerView.parse(await this.#calls.json('/v1/owner/stay', { method: 'POST' }));
  }

  /** A link that opens the dashboard once. */
  async dashboardLink(request: LinkRequest): Promise<DashboardLink> {
    const call: TransportCall = { method: 'POST', body: request };
    return DashboardLink.parse(await this.#calls.json('/v1/dashboard/links', call));
  }

  /** A link that shows the open question of a run, and takes the decision about it. */
  async questionLink(request: QuestionLinkRequest): Promise<DashboardLink> {
    const call: TransportCall = { method: 'POST', body: request };
    return DashboardLink.parse(await this.#calls.json('/v1/dashboard/question-links', call));
  }

  /** Ends all links to the dashboard and the access of all browsers. */
  async endDashboard(): Promise<EndedAccess> {
    return EndedAccess.parse(await this.#calls.json('/v1/dashboard/end', { method: 'POST' }));
  }

  /** The owner's components, with state, health and number of restarts. */
  async tree(): Promise<TreeView> {
    return TreeView.parse(await this.#calls.json('/v1/tree', { method: 'GET' }));
  }

  /** The same, and again after every change, until `signal` aborts. */
  async *followTree(signal?: AbortSignal): AsyncGenerator<TreeView, void> {
    for await (const item of this.#calls.follow(
      '/v1/tree/follow',
      'supervisor tree --follow',
      signal,
    ))
      yield TreeView.parse(item);
  }

  /**
   * All runs, and what has changed since: for a dashboard. Also the facts and the output of one run. Nothing of it is
   * checked: a dashboard shows what it knows of an item, and there are many of them.
   */
  async *followBoard(request: BoardRequest, signal?: AbortSignal): AsyncGenerator<BoardItem, void> {
    const path = `/v1/board/follow${query({ ...request })}`;
    for await (const item of this.#calls.follow(path, 'supervisor top', signal))
      yield item as BoardItem;
  }

  /** What the attempts that ended after `since` (milliseconds since 1970) have given and cost. */
  async metrics(since: number, by: MetricGroup): Promise<MetricsView> {
    const path = `/v1/metrics${query({ since, by })}`;
    return MetricsView.parse(await this.#calls.json(path, { method: 'GET' }));
  }

  /** The agents that are cooling down, the first to be free at the top. */
  async cooldowns(): Promise<readonly CooldownView[]> {
    return CooldownView.array().parse(await this.#calls.json('/v1/cooldowns', { method: 'GET' }));
  }

  /** Ends cooldowns: of an agent's id or identity, null for all. Resolves with the ended ones. */
  async clearCooldowns(which: string | null): Promise<readonly CooldownView[]> {
    const call: TransportCall = { method: 'POST', body: { which } };
    return CooldownView.array().parse(await this.#calls.json('/v1/cooldowns/clear', call));
  }

  /** The circuit breakers that have counted a failure. */
  async breakers(): Promise<readonly BreakerView[]> {
    return BreakerView.array().parse(await this.#calls.json('/v1/breakers', { method: 'GET' }));
  }

  /** Closes circuit breakers: of a step, null for all. Resolves with them as they were. */
  async resetBreakers(step: string | null): Promise<readonly BreakerView[]> {
    const call: TransportCall = { method: 'POST', body: { step } };
    return BreakerView.array().parse(await this.#calls.json('/v1/breakers/reset', call));
  }

  /** Runs at set times. */
  async schedules(): Promise<readonly ScheduleView[]> {
    return ScheduleView.array().parse(await this.#calls.json('/v1/schedules', { method: 'GET' }));
  }

  /** Resolves with it as it was. */
  async removeSchedule(name: string): Promise<ScheduleView> {
    const call: TransportCall = { method: 'POST', body: { name } };
    return ScheduleView.parse(await this.#calls.json('/v1/schedules/remove', call));
  }

  /** Lists the files of runs that ended before this time. Changes nothing. */
  async prunePlan({ before }: PruneRequest): Promise<PrunePlan> {
    return PrunePlan.parse(
      await this.#calls.json(`/v1/prune${query({ before })}`, { method: 'GET' }),
    );
  }

  /** Deletes these files. The work is kept on its refs. */
  async prune(request: PruneRequest): Promise<Pruned> {
    return Pruned.parse(await this.#calls.json('/v1/prune', { method: 'POST', body: request }));
  }
}
