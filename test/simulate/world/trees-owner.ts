/** The tree work of one owner in the simulated world: the real components on this world's disk. */
import type { Clock } from '../../../src/base/clock.ts';
import { Refusal } from '../../../src/base/errors.ts';
import type { RunId } from '../../../src/base/ids.ts';
import { commitRunWork } from '../../../src/execution/commit-run-work.ts';
import { commitNote } from '../../../src/execution/commit-note.ts';
import { commitUnrecordedWork } from '../../../src/execution/perform-finalize.ts';
import {
  FIRST_TREE,
  discardTreeIfPossible,
} from '../../../src/execution/environments/run-workspace.ts';
import { AppliesStore } from '../../../src/owner/applies/applies-store.ts';
import { readBackwards, readStream } from '../../../src/owner/run-reader.ts';
import { committedBefore, committedWork } from '../../../src/owner/runs/committed-work.ts';
import { OwnerStream } from '../../../src/owner/owner-stream.ts';
import { Prune } from '../../../src/owner/runs/prune.ts';
import { IdempotentRequests } from '../../../src/owner/idempotent-requests.ts';
import { RunChanges } from '../../../src/owner/runs/run-changes.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { CommandContext, CommandRequest } from '../../../src/engine/performer.ts';
import { OWNER_STREAM, runStream } from '../../../src/protocol/streams.ts';
import type { RunView } from '../../../src/protocol/views/run-view.ts';
import type { Journal } from '../../../src/store/journal.ts';
import { assignTree, commitTree } from '../../../src/workspace/commit-tree.ts';
import type { TreeFileOps } from '../../../src/workspace/tree-file-ops.ts';
import type { WorkspaceId } from '../../../src/workspace/workspace.ts';
import type { Process } from './record.ts';
import type { Remover } from './trees-record.ts';
import type { WorldTree } from './tree-store.ts';
import { worldLeftovers, worldRunTrees } from './trees-api.ts';
import type { TreesWorld } from './trees-world.ts';
import type { OwnerProcess } from './virtual-machine.ts';
import { buildTree, worldTreeOps } from './world-tree-ops.ts';
import type {
  AttemptInput,
  AttemptOutcome,
} from '../../../src/protocol/contracts/attempt-contract.ts';
import type { FinalizeInput } from '../../../src/protocol/commands.ts';

/** Where the state of Supervisor would be. */
const HOME = '/home';

export type TreesOwnerPorts = {
  readonly world: TreesWorld;
  readonly life: OwnerProcess;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** The tree of an attempt, while the attempt runs. */
export type AttemptTree = {
  readonly write: (number: number) => void;
  /** Commits the content, records that, and releases the tree. */
  readonly keep: (context: CommandContext) => Promise<void>;
};

export class TreesOwner {
  readonly work: RunChanges;
  readonly prune: Prune;
  readonly requests: IdempotentRequests;
  readonly #ports: TreesOwnerPorts;
  #engine: Engine | undefined;

  constructor(ports: TreesOwnerPorts) {
    const { journal, clock, world, life } = ports;
    this.#ports = ports;
    const stream = new OwnerStream(journal, clock);
    const record = (event: Parameters<OwnerStream['record']>[0]): Promise<void> =>
      stream.record(event);
    const hands = (place: WorkspaceId, by: Remover): TreeFileOps => this.#hands(place, by);
    this.work = new RunChanges({
      home: HOME,
      clock,
      trees: worldRunTrees(world, life, (place) => hands(place, 'person')),
      view: (id) => this.#view(id),
      historyBack: (id) => readBackwards(journal, runStream(id)),
      workOfWorkflow: async () => undefined,
      facts: (after) => readStream(journal, OWNER_STREAM, after),
      record,
      applies: new AppliesStore(() => journal, clock),
      message: () => Promise.reject(new Error('not used here')),
    });
    this.prune = new Prune({
      leftovers: worldLeftovers(world, life, (place) => hands(place, 'prune')),
      journal: () => journal,
      record,
      signal: new AbortController().signal,
    });
    this.requests = new IdempotentRequests(() => journal);
  }

  /** As the owner does once its engine is up. */
  async start(engine: Engine): Promise<void> {
    const { journal, world, log } = this.#ports;
    this.#engine = engine;
    const facts = await journal.readStream(OWNER_STREAM, { after: 0, limit: 1_000_000 });
    await this.work.resume(facts).catch((error: unknown) => {
      world.refusedTakeUp(error);
      log(`could not resume an apply: ${String(error)}`);
    });
  }

  /** Gives an attempt the tree of its run, as the previous attempt left it. */
  async begin(
    process: Process,
    { run, input }: CommandRequest,
  ): Promise<AttemptTree | AttemptOutcome> {
    const { world, life, journal, clock } = this.#ports;
    const { project, tree = FIRST_TREE } = input as unknown as AttemptInput;
    const place: WorkspaceId = { home: HOME, root: project, run, attempt: tree };
    const isOver = (): boolean => process.diedOrder !== null || !life.alive;
    const hands = this.#hands(place, 'attempt', `${process.key} of ${run}`, isOver);
    const own = world.store.treeAt(place);
    const before = own.holder?.isOver() === false ? own.holder.name : null;
    const none = (): Promise<undefined> => Promise.resolve(undefined);
    const goesOnFrom =
      tree === FIRST_TREE ? () => committedBefore(journal, HOME, run, project) : none;
    try {
      const { release } = await assignTree(place, hands, async (earlier) => {
        if (earlier !== undefined) return earlier;
        const hand = this.#hand(place, 'attempt', process.key, isOver);
        return buildTree(world.store, world.steps, place, hand, { goesOnFrom, clock });
      });
      if (tree > FIRST_TREE) {
        const last = { ...place, attempt: tree - 1 };
        await discardTreeIfPossible(last, this.#hands(last, 'attempt'));
      }
      world.given(own, process, before);
      return this.#attemptTree(place, own, hands, process, release);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { kind: 'failed', reason: 'start_refused', message: error.message };
    }
  }

  /** The remaining work when a run has ended. */
  async finalize({ run, input }: CommandRequest, context: CommandContext): Promise<void> {
    const { journal, world } = this.#ports;
    const request = input as unknown as FinalizeInput;
    const placeAt = (root: string, attempt: number): WorkspaceId => ({
      ...{ home: HOME, root, run, attempt },
    });
    await commitUnrecordedWork({ run }, request, context, {
      findCommit: committedWork(journal, HOME),
      treeAt: (project, tree) => {
        const place = placeAt(project, tree);
        return Promise.resolve({ place, fileOps: this.#hands(place, 'attempt') });
      },
    });
    const { project, attempt, tree = FIRST_TREE } = request;
    if (attempt > 0) world.finalized(world.store.treeAt(placeAt(project, tree)));
  }

  #attemptTree(
    place: WorkspaceId,
    own: WorldTree,
    hands: TreeFileOps,
    { run, pid }: Process,
    release: () => void,
  ): AttemptTree {
    const { world, clock } = this.#ports;
    let isOpen = true;
    return {
      write: (number) => {
        if (isOpen) world.agentWrites(own, `${run} ${pid}`, number);
      },
      keep: async (context) => {
        isOpen = false;
        const keep = async () => commitNote(place, await commitTree(place, hands));
        await commitRunWork({ commitWork: keep }, context, clock);
        release();
      },
    };
  }

  #hand(place: WorkspaceId, by: Remover, name: string = by, isOver?: () => boolean) {
    const { life, world } = this.#ports;
    return {
      ...{ life, project: place.root, name },
      slowMs: by === 'attempt' ? 0 : world.slowMs,
      isOver: isOver ?? ((): boolean => !life.alive),
      onRemove: (gone: WorkspaceId) => world.removed(world.store.treeAt(gone), by),
    };
  }

  #hands(place: WorkspaceId, by: Remover, name?: string, isOver?: () => boolean): TreeFileOps {
    const { store, steps } = this.#ports.world;
    return worldTreeOps(store, steps, place, this.#hand(place, by, name, isOver));
  }

  async #view(id: RunId): Promise<RunView> {
    const view = await this.#engine?.get(id);
    if (view !== undefined) return view;
    throw new Refusal({ code: 'run.not-found', message: `There is no run ${id}.` });
  }
}
