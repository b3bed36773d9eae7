/**
 * Executes the plan of an apply or undo between two facts: its start is recorded before the first change, and its end
 * after the last. The plan and then the end are also in a file, so that the next owner can complete it.
 */
import type { Clock } from '../../base/clock.ts';
import { Refusal, describeError, isRefusal } from '../../base/errors.ts';
import { parseRunId } from '../../base/ids.ts';
import { retryWhileDiskFull } from '../../base/retry-while-disk-full.ts';
import { plural } from '../../base/text.ts';
import type { NewOwnerEvent, Payload, StoredEvent } from '../../protocol/event.ts';
import type { WorkspaceId } from '../../workspace/workspace.ts';
import type { ApplyBegun } from '../applies/fold-applies.ts';
import type { ApplyAnswer, ApplyEnd, BegunFact } from './apply-facts.ts';
import {
  endedType,
  parseStoredEnd,
  parseStoredPlan,
  toApplyAnswer,
  withoutRequest,
} from './apply-facts.ts';
import type { FindWorkPorts } from './find-work.ts';
import { findWork } from './find-work.ts';
import type { RunTrees, StoredApplyPlan } from './run-trees.ts';

export type RecordedPlansPorts = FindWorkPorts & {
  readonly clock: Clock;
  readonly trees: RunTrees;
  /** Records a fact about the user's tree. It belongs to no run. */
  readonly record: (event: NewOwnerEvent) => Promise<void>;
  /** What became of the work of each run so far. */
  readonly applies: {
    /** The applies and undos that began and have not ended. */
    readonly unfinished: () => Promise<readonly ApplyBegun[]>;
  };
  /** The facts about the user's tree after this seq, oldest first. */
  readonly facts: (after: number) => AsyncIterable<StoredEvent>;
};

/** Its caller executes one plan at a time. */
export class RecordedPlans {
  readonly #ports: RecordedPlansPorts;
  /**
   * Ends of applies, by run, that are stored in the plan's file and not yet in the journal, because
   * the disk was full.
   */
  readonly #unrecorded = new Map<
    string,
    {
      readonly workspace: WorkspaceId;
      readonly begun: ApplyBegun;
      readonly end: ApplyEnd;
    }
  >();

  constructor(ports: RecordedPlansPorts) {
    this.#ports = ports;
  }

  /** Stores the plan, records the start, executes the plan and records the end. */
  async start(
    begun: ApplyBegun,
    workspace: WorkspaceId,
    next: StoredApplyPlan,
    isResumed: boolean,
  ): Promise<ApplyAnswer> {
    const { trees } = this.#ports;
    if (!isResumed) await trees.writePlan(workspace, JSON.stringify(next));
    await this.#ports.record(begun).catch(async (error: unknown) => {
      // Nothing has changed yet, so it leaves no plan. A stored plan belongs to one that did start.
      if (!isResumed) await trees.removePlan(workspace).catch(() => undefined);
      throw error;
    });
    return this.#finish(begun, workspace, next, { onFull: 'wait', isResumed });
  }

  /** Executes a plan whose start is recorded, and records its end. */
  async #finish(
    begun: ApplyBegun,
    workspace: WorkspaceId,
    next: StoredApplyPlan,
    { onFull, isResumed }: { readonly onFull: OnFull; readonly isResumed: boolean },
  ): Promise<ApplyAnswer> {
    const { commit, files } = begun.payload;
    const made = await this.#ports.trees.execute(next).catch(async (error: unknown) => {
      // An owner that is closing may still execute this plan. Removing the plan now could leave it
      // half applied forever.
      if (isResumed && isRefusal(error, 'workspace.busy')) throw error;
      // A refusal means that nothing was changed. After a defect the plan stays, so that it can be
      // executed again.
      if (error instanceof Refusal) {
        const answer = { refused: error.data };
        await this.#endApply(begun, workspace, { commit, how: error.message, answer }, onFull);
      }
      throw error;
    });
    if (begun.type === 'undo.begun') {
      const undone = { commit, files };
      const how = `restored ${plural(files, 'file')}`;
      await this.#endApply(begun, workspace, { commit, how, answer: { undone } }, onFull);
      return undone;
    }
    const { branch, onto = null } = begun.payload;
    const merged = next.kind === 'undo' ? 0 : next.plan.merged.length;
    const applied = { commit, files, branch, made, merged, onto };
    const how = `applied ${plural(files, 'file')}`;
    await this.#endApply(begun, workspace, { commit, how, answer: { applied } }, onFull);
    return applied;
  }

  /** Runs in its turn: an apply before it may have executed or dropped this plan. */
  async resume(fact: BegunFact): Promise<void> {
    const begun = withoutRequest(fact);
    const id = parseRunId(begun.payload.run);
    if (id === undefined || (await this.#findEnd(id, fact.seq)) !== undefined) return;
    const { workspace } = await findWork(this.#ports, id);
    await this.#complete(begun, workspace);
  }

  /**
   * Completes what stopped in the middle: a plan must not be made from files that another plan has changed in part.
   * Refuses with `workspace.busy` if that fails.
   */
  async completeUnfinished(isInTheWay: (workspace: WorkspaceId) => boolean): Promise<void> {
    for (const fact of await this.#ports.applies.unfinished()) {
      const begun = withoutRequest(fact);
      const workspace = await this.#findWorkspace(begun.payload.run);
      if (workspace === undefined || !isInTheWay(workspace)) continue;
      await this.#complete(begun, workspace).catch(async (error: unknown) => {
        // If it was refused, its files are as they were, and its end is stored. A branch is never half made.
        const plan = parseStoredPlan(await this.#ports.trees.readPlan(workspace), begun);
        if (plan !== undefined && plan.kind !== 'branch') throw incomplete(begun, error);
      });
    }
  }

  /** Undefined: no work of the run is left, so nothing can complete its apply. */
  async #findWorkspace(run: string): Promise<WorkspaceId | undefined> {
    const id = parseRunId(run);
    if (id === undefined) return undefined;
    return findWork(this.#ports, id).then(
      ({ workspace }) => workspace,
      (error: unknown) => {
        if (error instanceof Refusal) return undefined;
        throw error;
      },
    );
  }

  async #complete(begun: ApplyBegun, workspace: WorkspaceId): Promise<void> {
    const { trees } = this.#ports;
    const { commit } = begun.payload;
    const end = parseStoredEnd(await trees.readPlan(workspace), commit);
    const plan = parseStoredPlan(await trees.readPlan(workspace), begun);
    if (end !== undefined) await this.#endApply(begun, workspace, end, 'refuse');
    // Without a plan it had ended, and only the fact is missing.
    else if (plan === undefined)
      await this.#endApply(
        begun,
        workspace,
        { commit, how: 'ended when its owner died' },
        'refuse',
      );
    else {
      await this.#ports.record(begun);
      await this.#finish(begun, workspace, plan, { onFull: 'refuse', isResumed: true });
    }
  }

  /** How the apply or undo that started at this fact ended. A run has only one at a time. */
  async #findEnd(run: string, seq: number): Promise<Payload<'apply.ended'> | undefined> {
    for await (const fact of this.#ports.facts(seq))
      if ((fact.type === 'apply.ended' || fact.type === 'undo.ended') && fact.payload.run === run)
        return fact.payload;
    return undefined;
  }

  /** The answer to an apply or undo that an earlier request or an earlier owner has executed. */
  async findAnswer({ seq, payload }: StoredEvent): Promise<ApplyAnswer> {
    await this.recordPending();
    const run = 'run' in payload ? payload.run : '';
    const end = await this.#findEnd(run, seq);
    if (end !== undefined) return toApplyAnswer(end);
    throw new Refusal({
      code: 'request.outcome-unknown',
      message: `The apply of run ${run} was started, and its end is not recorded.`,
      hint: `Check the files in the project, then repeat: supervisor apply ${run}`,
    });
  }

  /**
   * The end first replaces the plan in its file: if the owner dies before the fact is recorded, the
   * next owner records it. The files have changed by then, so on a full disk the fact waits for
   * space instead of being refused.
   */
  async #endApply(
    begun: ApplyBegun,
    workspace: WorkspaceId,
    end: ApplyEnd,
    onFull: OnFull,
  ): Promise<void> {
    const { trees, clock } = this.#ports;
    const { run } = begun.payload;
    await trees.writePlan(workspace, JSON.stringify({ end }));
    this.#unrecorded.set(run, { workspace, begun, end });
    const record = (): Promise<void> =>
      this.#ports.record({ type: endedType(begun.type), payload: { run, ...end } });
    await (onFull === 'wait' ? retryWhileDiskFull(clock, undefined, record) : record());
    this.#unrecorded.delete(run);
    await trees.removePlan(workspace);
  }

  /** Another apply writes its plan into the same file, so pending ends are recorded first. */
  async recordPending(): Promise<void> {
    for (const { workspace, begun, end } of [...this.#unrecorded.values()])
      await this.#endApply(begun, workspace, end, 'refuse');
  }
}

function incomplete({ type, payload: { run } }: ApplyBegun, error: unknown): Refusal {
  const [what, flag] = type === 'undo.begun' ? ['undo', '--undo '] : ['apply', ''];
  return new Refusal({
    code: 'workspace.busy',
    message: `The ${what} of run ${run} was interrupted and cannot be completed: ${isRefusal(error) ? error.message : describeError(error)}`,
    hint: `Complete it first with: supervisor apply ${flag}${run}`,
  });
}

/**
 * What happens to the last fact on a full disk. An owner that is starting cannot wait for space.
 */
type OnFull = 'wait' | 'refuse';
