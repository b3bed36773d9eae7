/**
 * All that the owner has for long-lived agents, as it is now: the book of their facts, which stands and
 * falls with the engine; their supervisors, a branch of their own; and the desk for whoever asks.
 */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { NO_USAGE } from '../../gateway/budget/budget-ledger.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RequestMark, Signal } from '../../protocol/event.ts';
import type { Settings } from '../../settings/settings.ts';
import type { TreeView } from '../../protocol/views/tree-view.ts';
import type { Journal } from '../../store/journal.ts';
import { descendantsOf, delegatedBy } from './delegated-budgets.ts';
import { supervisorPath, placeFromPath, projectPlace } from './supervisor-paths.ts';
import { agentPreflight } from './agent-preflight.ts';
import type { AgentRecord } from './agent-registry.ts';
import { AgentRegistry } from './agent-registry.ts';
import { AgentsSupervisor } from './agents-supervisor.ts';
import type { AgentsApiPorts } from './agents-api.ts';
import { AgentsApi } from './agents-api.ts';
import { TreeJournal } from './tree-journal.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { OwnerBranch } from '../owner-tree.ts';
import type { ExecutionHost } from '../execution-host.ts';
import { BudgetPools } from '../budgets/budget-pools.ts';
import { findDefaultAgent } from '../runs/default-agent.ts';
import { projectSettings } from '../project-settings.ts';
import { AGENTS_ROOT, withAgents } from './agents-in-tree.ts';
import type { TreeState } from '../tree-state.ts';
import type { MonitoredAgents } from './monitored-agents.ts';

export type AgentsComponentPorts = {
  readonly tree: TreeState;
  readonly ground: ExecutionHost;
  /** Refuses while it is being replaced. */
  readonly engine: () => Engine;
  /** Resolves when it is durable. */
  readonly signal: (run: RunId, signal: Signal, request?: RequestMark) => Promise<void>;
  /** What is asked of the machine before an agent is summoned; this machine, if nothing is said. */
  readonly machine?: MachinePorts;
};

type MachinePorts = Pick<AgentsApiPorts, 'settings' | 'ready' | 'preflight'>;

type Open = {
  readonly book: AgentRegistry;
  readonly kept: TreeJournal;
  readonly purses: BudgetPools;
};

export class AgentsComponent {
  readonly #options: OwnerOptions;
  readonly #ports: AgentsComponentPorts;
  #open: Open | undefined;
  #desk: AgentsApi | undefined;

  constructor(options: OwnerOptions, ports: AgentsComponentPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Before the engine: what agents have given to their children counts from the first call on. */
  async open(journal: Journal): Promise<Open> {
    const { clock, log } = this.#options;
    const book = await AgentRegistry.open(journal, log);
    const purses = new BudgetPools(journal, {
      givenBy: (run) => delegatedBy(run, book.all()),
      familyOf: (run) => descendantsOf(run, book.all()),
      buriedBy: (run) => book.get(run)?.buried ?? NO_USAGE,
    });
    const kept = await TreeJournal.open(journal, clock);
    kept.forgetUnless((run) => book.get(run) !== undefined);
    const open: Open = { book, kept, purses };
    book.watch((now, before) => this.#seen(open, now, before));
    this.#open = open;
    return open;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.book.close();
  }

  /** Refuses while they are not there. */
  get desk(): AgentsApi {
    return this.#desk ?? notNow();
  }

  branch(): OwnerBranch {
    return {
      id: 'agents',
      start: async (observe, signal) => {
        const { clock, luck, log } = this.#options;
        const { tree, signal: tell } = this.#ports;
        const { book, kept } = this.#open ?? notNow();
        const branch = await AgentsSupervisor.start(
          {
            clock,
            luck,
            book,
            kept,
            log,
            signal: tell,
            observe: (place, strategy) =>
              place === '' ? observe : tree.supervisor(`${AGENTS_ROOT}/${place}`, strategy),
          },
          signal,
        );
        this.#desk = this.#deskFor(branch);
        void branch.ended.then(() => (this.#desk = undefined));
        return branch;
      },
    };
  }

  /** For those who watch over them: while they are not there, nobody lives. */
  watched(): MonitoredAgents {
    const { signal, tree } = this.#ports;
    return {
      signal,
      living: () => this.#open?.book.living() ?? [],
      get: (run) => this.#open?.book.get(run),
      onExit: (listener) =>
        (this.#open ?? notNow()).book.watch(({ run, standing: { exit } }, before) => {
          if (exit !== null && before?.standing.exit === null) listener(run, exit);
        }),
      note: (run, words) => {
        const open = this.#open;
        const record = open?.book.get(run);
        if (open !== undefined && record !== undefined)
          tree.note(`${AGENTS_ROOT}/${placeOf(record, open.kept)}/${run}`, words);
      },
    };
  }

  /** The picture of the owner with the agents in it. */
  inTree(view: TreeView): TreeView {
    const open = this.#open;
    const desk = this.#desk;
    if (open === undefined || desk === undefined) return view;
    const records = open.book.all();
    const projects = new Map(records.map(({ project }) => [projectPlace(project), project]));
    for (const project of open.kept.projects) projects.set(projectPlace(project), project);
    const agents = records.map((record) => ({
      view: desk.view(record.run),
      place: placeOf(record, open.kept),
    }));
    return withAgents(view, agents, projects);
  }

  #deskFor(branch: AgentsSupervisor): AgentsApi {
    const { clock } = this.#options;
    const { book, kept } = this.#open ?? notNow();
    return new AgentsApi({
      book,
      kept,
      branch,
      engine: { start: (submission) => this.#ports.engine().start(submission) },
      signal: this.#ports.signal,
      ...(this.#ports.machine ?? this.#thisMachine()),
      now: () => clock.now(),
    });
  }

  #thisMachine(): MachinePorts {
    return {
      settings: async (project, wish) =>
        (await projectSettings(this.#options, project, wish)).settings,
      ready: async ({ agents, defaultAgent }: Settings) =>
        agents.length > 0 || defaultAgent !== null
          ? null
          : findDefaultAgent(this.#ports.ground, false),
      preflight: (summons, project, { limits }) =>
        agentPreflight(summons, project, {
          options: this.#options,
          ground: this.#ports.ground,
          limits,
        }),
    };
  }

  #seen({ purses, book, kept }: Open, now: AgentRecord, before: AgentRecord | undefined): void {
    const { parent } = now.settings;
    const ended = now.outcome !== null && before?.outcome === null;
    if (parent !== null && (before === undefined || ended)) purses.renew(parent as RunId);
    if (ended) purses.forget(now.run);
    for (const gone of book.takeForgotten()) {
      const place = placeOf(gone, kept);
      kept.forget(place, gone.run);
      this.#ports.tree.forget(`${AGENTS_ROOT}/${place}/${gone.run}`);
    }
    this.#ports.tree.touch();
  }
}

function placeOf(record: AgentRecord, kept: TreeJournal): string {
  return placeFromPath(record.project, supervisorPath(record, kept.places(record.project)));
}

function notNow(): never {
  throw new Refusal({
    code: 'owner.closing',
    message: 'The agents are not there at this moment: they are taken up, or the owner ends.',
    hint: 'Ask again in a moment.',
  });
}
