/** Finds the last committed work of a run. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { BEST_OF_PROGRAM } from '../../protocol/best-of.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { WorkspaceId } from '../../workspace/workspace.ts';
import type { RunTrees } from './run-trees.ts';

export type FindWorkPorts = {
  /** The home folder of Supervisor. */
  readonly home: string;
  readonly trees: Pick<RunTrees, 'last' | 'commitLeftovers'>;
  /** Refuses with `run.not-found`. */
  readonly view: (id: RunId) => Promise<RunView>;
  /** The facts of a run, newest first. */
  readonly historyBack: (id: RunId) => AsyncIterable<StoredEvent>;
  /** The current work of a workflow or of a feature, which one of its runs has left. Undefined: there is none. */
  readonly workOfWorkflow: (id: RunId, project?: string) => Promise<FoundWork | undefined>;
};

export type FoundWork = { readonly workspace: WorkspaceId; readonly commit: string };

/** Refuses with `workspace.not-found` if there is none. `project`: for a feature that spans several. */
export async function findWork(
  ports: FindWorkPorts,
  id: RunId,
  project?: string,
): Promise<FoundWork> {
  const { outcome, program } = await ports.view(id);
  if ([WORKFLOW_PROGRAM, BEST_OF_PROGRAM, FEATURE_PROGRAM].includes(program))
    return (await ports.workOfWorkflow(id, project)) ?? refuseParent(id, program, outcome !== null);
  let committed: FoundWork | undefined;
  // A run may have a million facts, and its last commit is among the newest, so they are read
  // backwards.
  let isLatest = true;
  const seen: SeenWork = { attempts: 0, inProject: false, notStored: undefined };
  for await (const event of ports.historyBack(id)) {
    if (event.type === 'command.begun' && event.payload.command === 'attempt') {
      isLatest = false;
      seen.attempts += 1;
    }
    if (event.type !== 'command.noted') continue;
    const { note } = event.payload;
    if (note.kind === 'not-committed') seen.notStored ??= note.message;
    if (note.kind === 'started' && note.sandbox === 'none') seen.inProject = true;
    if (note.kind !== 'committed') continue;
    const { root, tree, commit } = note;
    const workspace = { home: ports.home, root, run: id, attempt: tree };
    committed = { workspace, commit };
    break;
  }
  if ((committed === undefined || !isLatest) && outcome !== null)
    committed = (await commitNow(ports, id)) ?? committed;
  if (committed !== undefined) return committed;
  throw noWork(id, outcome !== null, seen);
}

function refuseParent(id: RunId, program: string, hasEnded: boolean): never {
  const [none, later] =
    program === FEATURE_PROGRAM
      ? ['no component has landed', 'work is there as soon as a component has landed']
      : program === WORKFLOW_PROGRAM
        ? ['none of its steps changed a file', 'work is stored when a step ends']
        : ['none of its agents did the task', 'the best work is chosen when all agents have ended'];
  throw new Refusal({
    code: 'workspace.not-found',
    message: hasEnded
      ? `Run ${id} has no work: ${none}.`
      : `Run ${id} has no work to show yet: ${later}.`,
    hint: `See how its runs ended with: supervisor status ${id}`,
  });
}

type SeenWork = {
  attempts: number;
  /** An agent worked without a sandbox, in the files of the project. */
  inProject: boolean;
  /** Why the work of the last attempt could not be stored. */
  notStored: string | undefined;
};

function noWork(
  id: RunId,
  hasEnded: boolean,
  { attempts, inProject, notStored }: SeenWork,
): Refusal {
  const [message, hint] = !hasEnded
    ? [
        `Run ${id} has no work to show yet: work is stored when an attempt ends.`,
        `Watch the run with: supervisor attach ${id}`,
      ]
    : attempts === 0
      ? [
          `Run ${id} has no work: it ended before an agent started.`,
          `See why with: supervisor why ${id}`,
        ]
      : notStored !== undefined
        ? [
            `The work of run ${id} could not be stored: ${notStored}`,
            `See what its agent did with: supervisor logs ${id}`,
          ]
        : inProject
          ? [
              `Run ${id} has no work of its own: its agent worked directly in the project.`,
              'See the changes in the project, for example with: git diff',
            ]
          : [
              `Run ${id} has no stored work: none of its attempts left any, or its workspace was deleted before it was stored.`,
              `See how its attempts ended with: supervisor why ${id}. To try again: supervisor resume ${id}`,
            ];
  return new Refusal({ code: 'workspace.not-found', message, hint });
}

/**
 * An attempt that was interrupted because the owner ended has committed nothing. Its work is
 * still in its tree.
 */
async function commitNow({ trees }: FindWorkPorts, id: RunId): Promise<FoundWork | undefined> {
  const workspace = await trees.last(id);
  const commit = workspace === undefined ? undefined : await trees.commitLeftovers(workspace);
  return workspace === undefined || commit === undefined ? undefined : { workspace, commit };
}
