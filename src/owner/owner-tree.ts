/**
 * The owner as a supervision tree. Components that others depend on start first. Branches start
 * last and do not depend on each other. If a component fails, its supervisor restarts it and what
 * depends on it, and nothing else. Shutdown runs in the reverse order of the start.
 *
 *   owner            rest-for-one
 *   ├─ store         the lock and the journal
 *   ├─ guard         one-for-one: the reaper, on which nothing else depends
 *   ├─ engine
 *   └─ branches      one-for-one
 *      ├─ runs       dynamic
 *      └─ …          from the caller: the agents, the monitors, the server
 */
import type { Clock } from '../base/clock.ts';
import type { ChildSpec, Shutdown, SupervisionEvent } from '../supervision/index.ts';
import { Supervisor, supervisorChild } from '../supervision/index.ts';
import type { TreeState } from './tree-state.ts';

type Start = ChildSpec['start'];

type Reporter = (event: SupervisionEvent) => void;

/**
 * A supervisor beside the runs: one-for-one with the given children, or one that the branch starts
 * itself.
 */
export type OwnerBranch =
  | { readonly id: string; readonly children: readonly ChildSpec[] }
  | {
      readonly id: string;
      readonly start: (
        observe: Reporter,
        signal: AbortSignal,
      ) => Promise<Pick<Supervisor, 'ended' | 'stop' | 'kill'>>;
    };

export type TreePorts = {
  readonly store: Start;
  readonly reaper: Start;
  readonly engine: Start;
  readonly runs: (
    observe: Reporter,
    signal: AbortSignal,
  ) => Promise<Pick<Supervisor, 'ended' | 'stop' | 'kill'>>;
};

/**
 * The limits on restarts. A permanent fault must reach the top within a minute instead of
 * disturbing the other branches forever. So a higher supervisor allows fewer restarts and remembers
 * them longer.
 */
const INTENSITY = {
  owner: { restartsMax: 3, withinMs: 3_600_000 },
  branches: { restartsMax: 3, withinMs: 600_000 },
  leaves: { restartsMax: 5, withinMs: 60_000 },
};
const BACKOFF = { baseMs: 50, maxMs: 5000 };
/** On shutdown, agents are killed at once. The rest of this time is for a slow machine. */
const CLOSE_MS = 60_000;

/**
 * Resolves when all components have started. If a component cannot start, rejects with its error,
 * after the components before it have stopped.
 */
export async function startTree(
  clock: Clock,
  treeState: TreeState,
  components: TreePorts,
  branches: readonly OwnerBranch[],
): Promise<Supervisor> {
  let startError: { readonly error: unknown } | undefined;
  const component = (id: string, start: Start, shutdown: Shutdown = CLOSE_MS): ChildSpec => ({
    id,
    shutdown,
    start: async (signal) => {
      try {
        return await start(signal);
      } catch (error) {
        startError ??= { error };
        throw error;
      }
    },
  });
  const oneForOne = (path: string, id: string, children: readonly ChildSpec[]): ChildSpec =>
    supervisorChild({ id }, (signal) =>
      Supervisor.start(
        {
          intensity: id === 'branches' ? INTENSITY.branches : INTENSITY.leaves,
          backoff: BACKOFF,
          children,
        },
        { clock, observe: treeState.supervisor(`${path}/${id}`, 'one-for-one') },
        signal,
      ),
    );
  const runs = supervisorChild({ id: 'runs' }, (signal) =>
    components.runs(treeState.supervisor('owner/branches/runs', 'dynamic'), signal),
  );
  try {
    return await Supervisor.start(
      {
        strategy: 'rest-for-one',
        intensity: INTENSITY.owner,
        backoff: BACKOFF,
        children: [
          component('store', components.store),
          oneForOne('owner', 'guard', [component('reaper', components.reaper)]),
          component('engine', components.engine),
          oneForOne('owner', 'branches', [
            runs,
            ...branches.map((branch) =>
              'start' in branch
                ? supervisorChild({ id: branch.id }, (signal) =>
                    branch.start(
                      treeState.supervisor(`owner/branches/${branch.id}`, 'one-for-one'),
                      signal,
                    ),
                  )
                : oneForOne(
                    'owner/branches',
                    branch.id,
                    branch.children.map((child) => ({
                      ...child,
                      ...component(child.id, child.start, child.shutdown),
                    })),
                  ),
            ),
          ]),
        ],
      },
      { clock, observe: treeState.supervisor('owner', 'rest-for-one') },
    );
  } catch (error) {
    throw startError === undefined ? error : startError.error;
  }
}
