/**
 * Everything that one owner has for long-lived agents in the simulated world: the real components,
 * on this world's ports.
 */
import type { Clock } from '../../../src/base/clock.ts';
import { Refusal } from '../../../src/base/errors.ts';
import { canonicalJson } from '../../../src/base/json.ts';
import type { Random } from '../../../src/base/random.ts';
import type { AgentsApi } from '../../../src/owner/agents/agents-api.ts';
import { AgentsComponent } from '../../../src/owner/agents/agents-component.ts';
import { budgetChild } from '../../../src/owner/monitors/budget-monitor.ts';
import { ActivityBus } from '../../../src/owner/monitors/activity-bus.ts';
import { gangChild } from '../../../src/owner/monitors/gang-monitor.ts';
import { gangSiblings } from '../../../src/owner/monitors/gang-membership.ts';
import { healthChild } from '../../../src/owner/monitors/health-monitor.ts';
import { RunEnvironments } from '../../../src/owner/credentials/run-environments.ts';
import type { OwnerOptions } from '../../../src/owner/owner-options.ts';
import { agentParent } from '../../../src/owner/agents/agent-parent.ts';
import type { ExecutionHost } from '../../../src/execution/environments/environment.ts';
import { TreeState } from '../../../src/owner/tree-state.ts';
import { MonitorStore } from '../../../src/owner/monitors/monitor-store.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Performer } from '../../../src/engine/performer.ts';
import { agentProgram } from '../../../src/agents/agent-program.ts';
import type { AgentProgramState } from '../../../src/agents/agent-state.ts';
import {
  releaseItemPerformer,
  claimItemPerformer,
} from '../../../src/execution/agent-commands/perform-queue.ts';
import { broadcastPerformer } from '../../../src/execution/agent-commands/perform-broadcast.ts';
import { messagePerformer } from '../../../src/execution/agent-commands/perform-message.ts';
import { agentStatus } from '../../../src/agents/agent-status.ts';
import type { StoredEvent } from '../../../src/protocol/event.ts';
import { isRunEvent } from '../../../src/protocol/streams.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import type { Journal } from '../../../src/store/journal.ts';
import { Supervisor, supervisorChild } from '../../../src/supervision/index.ts';
import type { AgentsScenario } from './agents-scenario.ts';
import type { QueueFolders } from './queue-folder.ts';
import type { TurnPorts } from './turns.ts';
import type { OwnerProcess, VirtualMachine } from './virtual-machine.ts';

export type AgentsOwnerPorts = {
  readonly scenario: AgentsScenario;
  readonly life: OwnerProcess;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly machine: VirtualMachine;
  readonly folders: QueueFolders;
  readonly log: (line: string) => void;
  readonly onDefect: (error: unknown) => void;
};

/** The same values as in the branches of a real owner. */
const INTENSITY = { restartsMax: 3, withinMs: 600_000 };
const BACKOFF = { baseMs: 50, maxMs: 5000 };

export class AgentsOwner {
  readonly #ports: AgentsOwnerPorts;
  readonly #tree: TreeState;
  readonly #deeds = new ActivityBus();
  readonly #part: AgentsComponent;
  #book: Awaited<ReturnType<AgentsComponent['open']>>['registry'] | undefined;
  #watches: MonitorStore | undefined;
  #engine: Engine | undefined;
  #branches: Supervisor | undefined;
  #leaving = false;

  constructor(ports: AgentsOwnerPorts) {
    const { clock, random, log, scenario } = ports;
    this.#ports = ports;
    this.#tree = new TreeState(clock);
    this.#part = new AgentsComponent({ clock, random, log, env: {} } as unknown as OwnerOptions, {
      environments: new RunEnvironments({}),
      tree: this.#tree,
      executionHost: {} as ExecutionHost, // never called: the simulated machine is below
      engine: () => this.#running,
      signal: (run, signal) => this.#running.signal(run, signal),
      machine: {
        settings: (project) => Promise.resolve(scenario.settings.get(project) ?? defaultSettings),
        defaultAgent: () => Promise.resolve('claude'),
        preflight: () =>
          Promise.resolve(random() < scenario.preflight ? ['There is no room on the disk.'] : []),
      },
    });
  }

  /** Throws a refusal while the agents are not up. */
  get api(): AgentsApi {
    return this.#part.api;
  }

  /** Before the engine: the performers for agents. */
  async open(): Promise<{ readonly turns: TurnPorts; readonly performers: readonly Performer[] }> {
    const { journal, clock, life, folders, machine } = this.#ports;
    const { budgetPools, registry } = await this.#part.open(journal);
    this.#book = registry;
    this.#watches = await MonitorStore.open({ journal, clock });
    const files = folders.of(life);
    const signal: Engine['signal'] = (run, output) => this.#running.signal(run, output);
    const real = [
      claimItemPerformer({ clock, files }),
      releaseItemPerformer(files),
      broadcastPerformer({
        clock,
        signal,
        siblingsOf: (run) => gangSiblings(run, this.#part.monitored()),
      }),
      messagePerformer({ clock, signal, parentOf: (run) => agentParent(journal, run) }),
    ];
    return {
      turns: { clock, budgetsForRun: budgetPools.of, deeds: this.#deeds },
      performers: real.map((one) => machine.watched(one, life)),
    };
  }

  /** Resumes all agents, and starts their monitors. */
  async start(engine: Engine): Promise<void> {
    const { clock } = this.#ports;
    this.#engine = engine;
    const branch = this.#part.branch();
    if (!('start' in branch)) throw new Error('the agents have no branch of their own');
    const observe = (path: string): ReturnType<TreeState['supervisor']> =>
      this.#tree.supervisor(`owner/branches/${path}`, 'one-for-one');
    this.#branches = await Supervisor.start(
      {
        intensity: INTENSITY,
        backoff: BACKOFF,
        children: [
          supervisorChild({ id: 'agents' }, (signal) => branch.start(observe('agents'), signal)),
          supervisorChild({ id: 'monitors' }, (signal) =>
            Supervisor.start(
              { intensity: INTENSITY, backoff: BACKOFF, children: this.#monitors() },
              { clock, observe: observe('monitors') },
              signal,
            ),
          ),
        ],
      },
      { clock, observe: this.#tree.supervisor('owner/branches', 'one-for-one') },
    );
    void this.#mournBranches(this.#branches);
  }

  async #mournBranches(branches: Supervisor): Promise<void> {
    const end = await branches.ended;
    const { life, onDefect } = this.#ports;
    if (life.alive && !this.#leaving)
      onDefect(new Error(`the branches of the owner have ended: ${JSON.stringify(end)}`));
  }

  /** Closes the branches first. Another part closes the engine and the journal. */
  async stop(): Promise<void> {
    this.#leaving = true;
    await this.#branches?.stop();
  }

  close(): Promise<void> {
    return this.#part.close();
  }

  /** Where the agent registry differs from the facts. */
  differences(facts: readonly StoredEvent[]): readonly string[] {
    const own = Map.groupBy(facts.filter(isRunEvent), ({ stream }) => stream);
    return (this.#book?.all() ?? []).flatMap(({ run, status, outcome }) => {
      const [first, ...rest] = own.get(`run/${run}`) ?? [];
      if (first?.type !== 'run.submitted') return [`agent ${run} is only in the registry`];
      const state = rest.reduce<AgentProgramState>(
        (before, fact) => agentProgram.fold(before, fact),
        agentProgram.start(first.payload),
      );
      const slow = { ...agentStatus(state), ...(outcome === null ? {} : { isOver: true }) };
      const [quick, reported] = [status, slow].map((one) => canonicalJson(plain(one)));
      return quick === reported
        ? []
        : [`agent ${run} in the registry: ${quick}, by its facts: ${reported}`];
    });
  }

  #monitors(): readonly ReturnType<typeof healthChild>[] {
    const { clock, log } = this.#ports;
    const store = (): MonitorStore => this.#watches ?? notOpen();
    const report = (): void => undefined;
    const ports = {
      clock,
      log,
      activityBus: this.#deeds,
      agents: this.#part.monitored(),
      store,
      report,
    };
    return [
      healthChild({ ...ports, fingerprint: () => Promise.resolve('always the same') }),
      budgetChild(ports),
      gangChild(ports),
    ];
  }

  get #running(): Engine {
    if (this.#engine !== undefined) return this.#engine;
    throw new Refusal({ code: 'owner.closing', message: 'The engine is starting.' });
  }
}

function notOpen(): never {
  throw new Error('monitors start after the journal is read');
}

function plain(value: object): Parameters<typeof canonicalJson>[0] {
  return JSON.parse(JSON.stringify(value)) as Parameters<typeof canonicalJson>[0];
}
