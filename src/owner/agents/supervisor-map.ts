/**
 * The running supervisors of long-lived agents, by their path in the tree. It creates the child
 * specification of each of them, so that a supervisor can be restarted.
 */
import type { Clock } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';
import type { ChildSpec, Strategy, SupervisionEvent } from '../../supervision/index.ts';
import { Supervisor, supervisorChild } from '../../supervision/index.ts';
import type { AgentPorts } from './agent-child.ts';
import { agentChild } from './agent-child.ts';
import type { PlannedChild } from './supervisor-paths.ts';
import {
  plannedChildren,
  lastSegment,
  treePath,
  POOL,
  projectSegment,
} from './supervisor-paths.ts';
import type { TreeJournal } from './tree-journal.ts';

export type SupervisorMapPorts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly treeJournal: TreeJournal;
  readonly child: AgentPorts;
  /** Creates the observer of one supervisor, by its path in the tree. */
  readonly observe: (place: string, strategy: Strategy) => (event: SupervisionEvent) => void;
  /** A child, which is an agent or a supervisor, has no restarts left and stays down. */
  readonly onExhausted: (supervisor: string, child: string) => void;
};

type Start = {
  readonly project: string;
  readonly path: string;
  readonly strategy: Strategy;
  readonly intensity: { readonly restartsMax: number; readonly withinMs: number };
};

/**
 * If very many agents fail, the fault is in a component that they depend on, so the supervisor
 * fails too.
 */
export const WIDE_LIMITS = { restartsMax: 1000, withinMs: 60_000 };
/** How often a declared supervisor restarts before it stays down. */
const TEAM_INTENSITY = { restartsMax: 3, withinMs: 600_000, whenFull: 'leave' } as const;
const BACKOFF = { baseMs: 1000, maxMs: 60_000 };

export class SupervisorMap {
  readonly #ports: SupervisorMapPorts;
  readonly #running = new Map<string, Supervisor>();
  /**
   * Supervisors that have started before under this owner. When such a supervisor restarts, its
   * restart history is reset.
   */
  readonly #startedBefore = new Set<string>();

  constructor(ports: SupervisorMapPorts) {
    this.#ports = ports;
  }

  /** Undefined while the supervisor is down. */
  find(project: string, path: string): Supervisor | undefined {
    return this.#running.get(treePath(project, path));
  }

  projectSupervisor(project: string): ChildSpec {
    const start: Start = { project, path: '', strategy: 'one-for-one', intensity: WIDE_LIMITS };
    return this.#child(projectSegment(project), start, { isolated: true });
  }

  /**
   * Adds a child to a supervisor, unless it has the child already. Returns false if the supervisor
   * is down.
   */
  async add(project: string, path: string, child: PlannedChild): Promise<boolean> {
    const supervisor = this.find(project, path);
    if (supervisor === undefined) return false;
    await ignoringPresent(supervisor.startChild(this.#spec(project, path, child)));
    return true;
  }

  #spec(project: string, path: string, child: PlannedChild): ChildSpec {
    switch (child.kind) {
      case 'agent':
        return agentChild(child.record, this.#ports.child, {
          escalates: path !== '' && path !== POOL,
        });
      case 'pool': {
        const start: Start = {
          project,
          path: POOL,
          strategy: 'one-for-one',
          intensity: WIDE_LIMITS,
        };
        return this.#child(POOL, start, { isolated: true });
      }
      case 'supervisor': {
        const { path: childPath, strategy, restartsMax, withinMs } = child.place;
        const intensity = { restartsMax, withinMs };
        return this.#child(
          lastSegment(childPath),
          { project, path: childPath, strategy, intensity },
          { isolated: path === '' },
        );
      }
    }
  }

  /**
   * A failure of a nested supervisor counts against its parent, as in OTP. If `isolated` is true, it
   * affects no other child.
   */
  #child(id: string, start: Start, { isolated }: { readonly isolated: boolean }): ChildSpec {
    const limits = isolated ? { intensity: TEAM_INTENSITY } : {};
    return supervisorChild({ id, backoff: BACKOFF, ...limits }, (signal) =>
      this.#start(start, signal),
    );
  }

  async #start(
    { project, path, strategy, intensity }: Start,
    signal: AbortSignal,
  ): Promise<Supervisor> {
    const { clock, random, treeJournal, child, observe } = this.#ports;
    const fullPath = treePath(project, path);
    if (this.#startedBefore.has(fullPath)) await treeJournal.resetHistory(fullPath);
    this.#startedBefore.add(fullPath);
    const living = child.registry.living().filter((record) => record.project === project);
    const children = plannedChildren(path, treeJournal.places(project), living);
    const forward = observe(fullPath, strategy);
    const supervisor = await Supervisor.start(
      {
        strategy,
        intensity,
        history: treeJournal.restartHistory(fullPath),
        children: children.map((one) => this.#spec(project, path, one)),
      },
      {
        clock,
        random,
        observe: (event) => {
          forward(event);
          this.#receive(fullPath, event);
        },
      },
      signal,
    );
    this.#running.set(fullPath, supervisor);
    void this.#removeWhenEnded(fullPath, supervisor);
    return supervisor;
  }

  async #removeWhenEnded(path: string, supervisor: Supervisor): Promise<void> {
    await supervisor.ended;
    if (this.#running.get(path) === supervisor) this.#running.delete(path);
  }

  #receive(path: string, event: SupervisionEvent): void {
    const { treeJournal, child, onExhausted } = this.#ports;
    if (event.kind === 'restarting') {
      const before = treeJournal.restartHistory(path).children[event.id] ?? {
        restarts: [],
        streak: 0,
      };
      const { restarts, streak } = this.#running.get(path)?.history.children[event.id] ?? {
        restarts: [...before.restarts, event.at],
        streak: before.streak + 1,
      };
      const counted = { restarts: [...restarts], streak };
      treeJournal.restarting({ supervisor: path, child: event.id, at: event.at, ...counted });
    }
    if (event.kind === 'gave-up') onExhausted(path, event.id);
    const record = DOWN.has(event.kind) ? child.registry.get(event.id as RunId) : undefined;
    if (record?.settings.restart.type === 'temporary' && !child.isClosing())
      onExhausted(path, event.id);
  }
}

export async function ignoringPresent(started: Promise<unknown>): Promise<void> {
  try {
    await started;
  } catch (error) {
    const isPresent =
      isRefusal(error, 'child.already-started') || isRefusal(error, 'child.already-present');
    if (!isPresent) throw error;
  }
}

/** The events after which a child is down, because it failed or because a sibling took it down. */
const DOWN: ReadonlySet<string> = new Set(['exited', 'stopped', 'killed', 'unstopped']);
