/** The supervisors of long-lived agents that are up, by their place from the top; each knows how to begin anew. */
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
  placeFromPath,
  POOL,
  projectPlace,
} from './supervisor-paths.ts';
import type { TreeJournal } from './tree-journal.ts';

export type SupervisorMapPorts = {
  readonly clock: Clock;
  readonly luck: Random;
  readonly kept: TreeJournal;
  readonly child: AgentPorts;
  /** Where the picture of one supervisor goes, by its place from the top. */
  readonly observe: (place: string, strategy: Strategy) => (event: SupervisionEvent) => void;
  /** A child, an agent or a supervisor, stays down from now on. */
  readonly onSpent: (supervisor: string, child: string) => void;
};

type Start = {
  readonly project: string;
  readonly path: string;
  readonly strategy: Strategy;
  readonly intensity: { readonly restartsMax: number; readonly withinMs: number };
};

/** The same fault in very many agents is a fault of what they stand on. */
export const WIDE_LIMITS = { restartsMax: 1000, withinMs: 60_000 };
/** So often a declared supervisor begins anew before it stays down. */
const TEAM = { restartsMax: 3, withinMs: 600_000, whenFull: 'leave' } as const;
const BACKOFF = { baseMs: 1000, maxMs: 60_000 };

export class SupervisorMap {
  readonly #ports: SupervisorMapPorts;
  readonly #up = new Map<string, Supervisor>();
  /** Places that were up before in this owner: they begin anew then, and nothing is held against them. */
  readonly #seen = new Set<string>();

  constructor(ports: SupervisorMapPorts) {
    this.#ports = ports;
  }

  /** Undefined while it is down. */
  at(project: string, path: string): Supervisor | undefined {
    return this.#up.get(placeFromPath(project, path));
  }

  ofProject(project: string): ChildSpec {
    const start: Start = { project, path: '', strategy: 'one-for-one', intensity: WIDE_LIMITS };
    return this.#child(projectPlace(project), start, true);
  }

  /** Adds one child to a supervisor; one that it has already stays as it is. False: it is down. */
  async add(project: string, path: string, child: PlannedChild): Promise<boolean> {
    const supervisor = this.at(project, path);
    if (supervisor === undefined) return false;
    await ignoringPresent(supervisor.startChild(this.#spec(project, path, child)));
    return true;
  }

  #spec(project: string, path: string, child: PlannedChild): ChildSpec {
    switch (child.kind) {
      case 'agent':
        return agentChild(child.record, path !== '' && path !== POOL, this.#ports.child);
      case 'pool': {
        const start: Start = {
          project,
          path: POOL,
          strategy: 'one-for-one',
          intensity: WIDE_LIMITS,
        };
        return this.#child(POOL, start, true);
      }
      case 'supervisor': {
        const { path: below, strategy, restartsMax, withinMs } = child.place;
        const intensity = { restartsMax, withinMs };
        return this.#child(
          lastSegment(below),
          { project, path: below, strategy, intensity },
          path === '',
        );
      }
    }
  }

  /** Below another it counts there, as in OTP; `alone`: its failures concern nobody else. */
  #child(id: string, start: Start, alone: boolean): ChildSpec {
    const own = alone ? { intensity: TEAM } : {};
    return supervisorChild({ id, backoff: BACKOFF, ...own }, (signal) =>
      this.#start(start, signal),
    );
  }

  async #start(
    { project, path, strategy, intensity }: Start,
    signal: AbortSignal,
  ): Promise<Supervisor> {
    const { clock, luck, kept, child, observe } = this.#ports;
    const at = placeFromPath(project, path);
    if (this.#seen.has(at)) await kept.beginAnew(at);
    this.#seen.add(at);
    const living = child.book.living().filter((record) => record.project === project);
    const children = plannedChildren(path, kept.places(project), living);
    const tell = observe(at, strategy);
    const supervisor = await Supervisor.start(
      {
        strategy,
        intensity,
        history: kept.historyOf(at),
        children: children.map((one) => this.#spec(project, path, one)),
      },
      {
        clock,
        luck,
        observe: (event) => {
          tell(event);
          this.#hear(at, event);
        },
      },
      signal,
    );
    this.#up.set(at, supervisor);
    void this.#leaveWhenOver(at, supervisor);
    return supervisor;
  }

  async #leaveWhenOver(at: string, supervisor: Supervisor): Promise<void> {
    await supervisor.ended;
    if (this.#up.get(at) === supervisor) this.#up.delete(at);
  }

  #hear(at: string, event: SupervisionEvent): void {
    const { kept, child, onSpent } = this.#ports;
    if (event.kind === 'restarting') {
      const before = kept.historyOf(at).children[event.id] ?? { restarts: [], streak: 0 };
      const { restarts, streak } = this.#up.get(at)?.history.children[event.id] ?? {
        restarts: [...before.restarts, event.at],
        streak: before.streak + 1,
      };
      const counted = { restarts: [...restarts], streak };
      kept.restarting({ supervisor: at, child: event.id, at: event.at, ...counted });
    }
    if (event.kind === 'gave-up') onSpent(at, event.id);
    const record = DOWN.has(event.kind) ? child.book.get(event.id as RunId) : undefined;
    if (record?.settings.restart.type === 'temporary' && !child.isLeaving()) onSpent(at, event.id);
  }
}

export async function ignoringPresent(started: Promise<unknown>): Promise<void> {
  try {
    await started;
  } catch (error) {
    const isThere =
      isRefusal(error, 'child.already-started') || isRefusal(error, 'child.already-present');
    if (!isThere) throw error;
  }
}

/** How a supervisor hears that a child is down: after its own failure, or because it went down with a sibling. */
const DOWN: ReadonlySet<string> = new Set(['exited', 'stopped', 'killed', 'unstopped']);
