/**
 * The owner as a tree. What everything stands on comes first, each part with all that depends on it
 * above; above that the branches, which don't know each other. So a part that dies takes with it
 * what stands on it and nothing else, and the end is the start backwards.
 *
 *   owner            rest-for-one
 *   ├─ store         the lock and the journal
 *   ├─ guard         one-for-one: the reaper, whose death concerns nobody while it is replaced
 *   ├─ engine
 *   └─ branches      one-for-one
 *      ├─ runs       dynamic
 *      └─ …          what the caller adds: the agents, the monitors, the server
 */
import type { Clock } from '../base/clock.ts';
import type { ChildSpec, Shutdown, SupervisionEvent } from '../supervision/index.ts';
import { Supervisor, supervisorChild } from '../supervision/index.ts';
import type { TreeState } from './tree-state.ts';

type Start = ChildSpec['start'];

type Reporter = (event: SupervisionEvent) => void;

/** A supervisor of its own beside the runs: one-for-one with these children, or of its own making. */
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
 * More faults than this are not bad luck. Higher up they are fewer and longer remembered: a fault that
 * stays climbs to the top within a minute, instead of disturbing the other branches for ever.
 */
const INTENSITY = {
  owner: { restartsMax: 3, withinMs: 3_600_000 },
  branches: { restartsMax: 3, withinMs: 600_000 },
  leaves: { restartsMax: 5, withinMs: 60_000 },
};
const BACKOFF = { baseMs: 50, maxMs: 5000 };
/** What is performed is killed at once when we leave; the rest is waiting for the machine. */
const CLOSE_MS = 60_000;

/**
 * Resolves when all of it is up. Rejects as the first part that could not come up did, with what was
 * up before it let go of again.
 */
export async function startTree(
  clock: Clock,
  book: TreeState,
  ground: TreePorts,
  branches: readonly OwnerBranch[],
): Promise<Supervisor> {
  let refused: { readonly error: unknown } | undefined;
  const part = (id: string, start: Start, shutdown: Shutdown = CLOSE_MS): ChildSpec => ({
    id,
    shutdown,
    start: async (signal) => {
      try {
        return await start(signal);
      } catch (error) {
        refused ??= { error };
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
        { clock, observe: book.supervisor(`${path}/${id}`, 'one-for-one') },
        signal,
      ),
    );
  const runs = supervisorChild({ id: 'runs' }, (signal) =>
    ground.runs(book.supervisor('owner/branches/runs', 'dynamic'), signal),
  );
  try {
    return await Supervisor.start(
      {
        strategy: 'rest-for-one',
        intensity: INTENSITY.owner,
        backoff: BACKOFF,
        children: [
          part('store', ground.store),
          oneForOne('owner', 'guard', [part('reaper', ground.reaper)]),
          part('engine', ground.engine),
          oneForOne('owner', 'branches', [
            runs,
            ...branches.map((branch) =>
              'start' in branch
                ? supervisorChild({ id: branch.id }, (signal) =>
                    branch.start(
                      book.supervisor(`owner/branches/${branch.id}`, 'one-for-one'),
                      signal,
                    ),
                  )
                : oneForOne(
                    'owner/branches',
                    branch.id,
                    branch.children.map((child) => ({
                      ...child,
                      ...part(child.id, child.start, child.shutdown),
                    })),
                  ),
            ),
          ]),
        ],
      },
      { clock, observe: book.supervisor('owner', 'rest-for-one') },
    );
  } catch (error) {
    throw refused === undefined ? error : refused.error;
  }
}
