/** Many children of one spec that come and go: OTP's simple_one_for_one. */
import { problemWithChild } from './check-spec.ts';
import type { ChildSpec, StartResult } from './child.ts';
import { refuseSpec } from './supervision-refusals.ts';
import type { RestartHistory } from './restart-tracker.ts';
import type { ChildCounts, ChildView, SupervisorEnd, SupervisorSpec } from './supervisor-spec.ts';
import type { SupervisorPorts } from './supervisor.ts';
import { Supervisor } from './supervisor.ts';

export type DynamicSpec<Argument> = Omit<SupervisorSpec, 'strategy' | 'children'> & {
  /** Each child starts with its own argument, and restarts with the same one. */
  readonly template: Omit<ChildSpec, 'start'> & {
    readonly start: (argument: Argument, signal: AbortSignal) => Promise<StartResult>;
  };
};

export class DynamicSupervisor<Argument> {
  readonly #supervisor: Supervisor;
  readonly #template: DynamicSpec<Argument>['template'];
  #count = 0;

  private constructor(supervisor: Supervisor, template: DynamicSpec<Argument>['template']) {
    this.#supervisor = supervisor;
    this.#template = template;
  }

  static async start<Argument>(
    { template, ...spec }: DynamicSpec<Argument>,
    ports: SupervisorPorts,
    signal?: AbortSignal,
  ): Promise<DynamicSupervisor<Argument>> {
    const { autoShutdown = 'never', history } = spec;
    const sample: ChildSpec = { ...template, start: async () => ({ kind: 'ignored' }) };
    const problem = problemWithChild(sample, { strategy: 'dynamic', autoShutdown });
    if (problem !== undefined) throw refuseSpec(problem);
    const flags: SupervisorSpec = {
      ...spec,
      strategy: 'dynamic',
      // Ids are assigned again from 1, so the history of children does not apply.
      ...(history !== undefined && { history: { ...history, children: {} } }),
    };
    return new DynamicSupervisor(await Supervisor.start(flags, ports, signal), template);
  }

  /** Returns the id of the new child, which keeps it when restarted; undefined if the start was ignored. */
  async startChild(argument: Argument): Promise<string | undefined> {
    this.#count += 1;
    const { start } = this.#template;
    const id = `${this.#template.id}-${this.#count}`;
    const result = await this.#supervisor.startChild({
      ...this.#template,
      id,
      start: (signal) => start(argument, signal),
    });
    return result === 'started' ? id : undefined;
  }

  /** Stops and forgets the child. */
  terminateChild(id: string): Promise<void> {
    return this.#supervisor.terminateChild(id);
  }

  whichChildren(): Promise<readonly ChildView[]> {
    return this.#supervisor.whichChildren();
  }

  /** All children share one spec. */
  async countChildren(): Promise<ChildCounts> {
    return { ...(await this.#supervisor.countChildren()), specs: 1 };
  }

  /** The restarts to store for the next life of this supervisor. */
  get history(): RestartHistory {
    return this.#supervisor.history;
  }

  get ended(): Promise<SupervisorEnd> {
    return this.#supervisor.ended;
  }

  stop(): Promise<SupervisorEnd> {
    return this.#supervisor.stop();
  }

  kill(): Promise<SupervisorEnd> {
    return this.#supervisor.kill();
  }
}
