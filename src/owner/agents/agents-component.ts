/**
 * The long-lived agents of the owner. The registry and the tree journal open and close with the
 * engine. The supervisors are a branch of the owner's tree. The API serves clients while that
 * branch is up.
 */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { NO_USAGE } from '../../gateway/budget/budget-ledger.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { TreeView } from '../../protocol/views/tree-view.ts';
import type { Journal } from '../../store/journal.ts';
import { delegatedBy, findFamily } from './delegated-budgets.ts';
import { supervisorPath, treePath, projectSegment } from './supervisor-paths.ts';
import { agentPreflight } from './agent-preflight.ts';
import type { AgentRecord } from './agent-registry.ts';
import { AgentRegistry } from './agent-registry.ts';
import { AgentsSupervisor } from './agents-supervisor.ts';
import type { AgentsApiPorts } from './agents-api.ts';
import { AgentsApi } from './agents-api.ts';
import { TreeJournal } from './tree-journal.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { OwnerBranch } from '../owner-tree.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { BudgetPools } from '../budgets/budget-pools.ts';
import type { RunEnvironments } from '../credentials/run-environments.ts';
import { credentialSource, shellHost, shellOptions } from '../credentials/shell-host.ts';
import { requireDefaultAgent } from '../runs/default-agent.ts';
import { agentToSetUp, requireSetup } from '../runs/require-setup.ts';
import { tryGateIn } from '../runs/try-gate.ts';
import { projectSettings } from '../project-settings.ts';
import { AGENTS_ROOT, supervisorBudgets, withAgents } from './agents-in-tree.ts';
import type { TreeState } from '../tree-state.ts';
import type { MonitoredAgents } from './monitored-agents.ts';

export type AgentsComponentPorts = {
  readonly tree: TreeState;
  readonly executionHost: ExecutionHost;
  readonly environments: RunEnvironments;
  /** Refuses while the engine is being restarted. */
  readonly engine: () => Engine;
  /** Resolves when the signal is durable. */
  readonly signal: (run: RunId, signal: Signal, request?: RequestMark) => Promise<void>;
  /** The journal can't be read any more. Absent: in tests whose journal is in memory. */
  readonly onJournalFault?: (why: string) => void;
  /** Checks of the machine before an agent is spawned. The default is this machine. */
  readonly machine?: MachinePorts;
};

type MachinePorts = Pick<AgentsApiPorts, 'settings' | 'defaultAgent' | 'preflight'>;

type OpenState = {
  readonly registry: AgentRegistry;
  readonly treeJournal: TreeJournal;
  readonly budgetPools: BudgetPools;
};

export class AgentsComponent {
  readonly #options: OwnerOptions;
  readonly #ports: AgentsComponentPorts;
  #open: OpenState | undefined;
  #api: AgentsApi | undefined;

  constructor(options: OwnerOptions, ports: AgentsComponentPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /**
   * Called before the engine opens, so that delegated budgets count from the first model call on.
   */
  async open(journal: Journal): Promise<OpenState> {
    const { clock, log } = this.#options;
    const onFault = (why: string): void => this.#ports.onJournalFault?.(why);
    const registry = await AgentRegistry.open(journal, log, onFault);
    const budgetPools = new BudgetPools(journal, {
      delegatedBy: (run) => delegatedBy(run, registry.all()),
      findFamily: (run) => findFamily(run, registry.all()),
      removedUsage: (run) => registry.get(run)?.removedUsage ?? NO_USAGE,
    });
    const treeJournal = await TreeJournal.open(journal, clock);
    treeJournal.forgetUnless((run) => registry.get(run) !== undefined);
    const open: OpenState = { registry, treeJournal, budgetPools };
    registry.watch((current, previous) => this.#onChange(open, current, previous));
    this.#open = open;
    return open;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.registry.close();
  }

  /** Refuses while the branch is down. */
  get api(): AgentsApi {
    return this.#api ?? unavailable();
  }

  branch(): OwnerBranch {
    return {
      id: 'agents',
      start: async (observe, signal) => {
        const { clock, random, log } = this.#options;
        const { tree, signal: sendSignal } = this.#ports;
        const { registry, treeJournal } = this.#open ?? unavailable();
        const branch = await AgentsSupervisor.start(
          {
            clock,
            random,
            registry,
            treeJournal,
            log,
            signal: sendSignal,
            observe: (path, strategy) =>
              path === '' ? observe : tree.supervisor(`${AGENTS_ROOT}/${path}`, strategy),
          },
          signal,
        );
        this.#api = this.#createApi(branch);
        void branch.ended.then(() => (this.#api = undefined));
        return branch;
      },
    };
  }

  /** The view of the agents for monitors. It has no agents while the registry is closed. */
  monitored(): MonitoredAgents {
    const { signal, tree } = this.#ports;
    return {
      signal,
      living: () => this.#open?.registry.living() ?? [],
      get: (run) => this.#open?.registry.get(run),
      onExit: (listener) =>
        (this.#open ?? unavailable()).registry.watch(({ run, status: { exit } }, previous) => {
          if (exit !== null && previous?.status.exit === null) listener(run, exit);
        }),
      note: (run, text) => {
        const open = this.#open;
        const record = open?.registry.get(run);
        if (open !== undefined && record !== undefined)
          tree.note(`${AGENTS_ROOT}/${supervisorTreePath(record, open.treeJournal)}/${run}`, text);
      },
    };
  }

  /** Adds the agents to the view of the owner's tree. */
  inTree(view: TreeView): TreeView {
    const open = this.#open;
    const api = this.#api;
    if (open === undefined || api === undefined) return view;
    const records = open.registry.all();
    const projects = new Map(records.map(({ project }) => [projectSegment(project), project]));
    for (const project of open.treeJournal.projects) projects.set(projectSegment(project), project);
    const agents = records.map((record) => {
      const supervisorPath = supervisorTreePath(record, open.treeJournal);
      const { restartsMax, withinMs } = record.settings.restart;
      const history = open.treeJournal.restartHistory(supervisorPath).children[record.run];
      const budget = { restartsMax, withinMs, restartedAt: [...(history?.restarts ?? [])] };
      return { view: api.view(record.run), supervisorPath, budget };
    });
    return withAgents(view, agents, projects, supervisorBudgets(open.treeJournal));
  }

  #createApi(supervisor: AgentsSupervisor): AgentsApi {
    const { clock } = this.#options;
    const { registry, treeJournal } = this.#open ?? unavailable();
    return new AgentsApi({
      registry,
      treeJournal,
      supervisor,
      engine: {
        start: (submission, onCreated) => this.#ports.engine().start(submission, onCreated),
      },
      environments: this.#ports.environments,
      credentialSource: (given) => credentialSource(this.#options, given),
      signal: this.#ports.signal,
      ...(this.#ports.machine ?? this.#thisMachine()),
      now: () => clock.now(),
    });
  }

  #thisMachine(): MachinePorts {
    return {
      settings: async (project, request) =>
        (await projectSettings(this.#options, project, request)).settings,
      defaultAgent: (settings, given) =>
        requireDefaultAgent(settings, shellHost(this.#ports.executionHost, given), {
          unsafe: false,
        }),
      preflight: async (candidate, project, settings, given) => {
        // A refusal of its own, because it has the lines to add.
        const executionHost = shellHost(this.#ports.executionHost, given);
        const tryGate = tryGateIn(project, settings.sandbox, executionHost, { runs: true });
        await requireSetup(agentToSetUp(candidate, project, settings), tryGate);
        return agentPreflight(candidate, project, {
          options: shellOptions(this.#options, given),
          executionHost,
          limits: settings.limits,
        });
      },
    };
  }

  #onChange(
    { budgetPools, registry, treeJournal }: OpenState,
    current: AgentRecord,
    previous: AgentRecord | undefined,
  ): void {
    const { parent } = current.settings;
    const hasEnded = current.outcome !== null && previous?.outcome === null;
    if (parent !== null && (previous === undefined || hasEnded)) budgetPools.renew(parent as RunId);
    if (hasEnded) budgetPools.forget(current.run);
    for (const removed of registry.takeRemoved()) {
      const path = supervisorTreePath(removed, treeJournal);
      treeJournal.forget(path, removed.run);
      this.#ports.tree.forget(`${AGENTS_ROOT}/${path}/${removed.run}`);
    }
    this.#ports.tree.touch();
  }
}

function supervisorTreePath(record: AgentRecord, treeJournal: TreeJournal): string {
  return treePath(record.project, supervisorPath(record, treeJournal.places(record.project)));
}

function unavailable(): never {
  throw new Refusal({
    code: 'owner.closing',
    message: 'Agents are unavailable: the owner is starting up or shutting down.',
    hint: 'Try again in a moment.',
  });
}
