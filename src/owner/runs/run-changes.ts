/** The work of an ended run: shows it, applies it to the user's project, or discards it. */
import { plural } from '../../base/text.ts';
import type { Clock } from '../../base/clock.ts';
import { Refusal, isRefusal } from '../../base/errors.ts';
import { parseRunId } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import { retryWhileDiskFull } from '../../base/retry-while-disk-full.ts';
import { Serial } from '../../base/serial.ts';
import type { Applied, ApplyRequest, Discarded, WorkDiff } from '../../protocol/api.ts';
import type { NewOwnerEvent, Payload, StoredEvent } from '../../protocol/event.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { WorkspaceId } from '../../workspace/workspace.ts';
import type { ApplyEnd, BegunFact, BegunPayload } from './apply-facts.ts';
import {
  parseStoredEnd,
  parseStoredPlan,
  toApplyAnswer,
  unfinishedApplies,
} from './apply-facts.ts';
import { missingApprovals, needsApproval } from './missing-approvals.ts';
import type { StoredApplyPlan, RunTrees } from './run-trees.ts';

export type RunChangesPorts = {
  /** The home folder of Supervisor. */
  readonly home: string;
  readonly clock: Clock;
  readonly trees: RunTrees;
  /** Refuses with `run.not-found`. */
  readonly view: (id: RunId) => Promise<RunView>;
  /** The facts of a run, newest first. */
  readonly historyBack: (id: RunId) => AsyncIterable<StoredEvent>;
  /** Records a fact about the user's tree. It belongs to no run. */
  readonly record: (event: NewOwnerEvent) => Promise<void>;
  /** The facts about the user's tree after this seq, oldest first. */
  readonly facts: (after: number) => AsyncIterable<StoredEvent>;
};

/** The fact has a bounded size, so it lists at most this many approved paths. */
const INCLUDED_MAX = 100;

type CommittedWork = { readonly workspace: WorkspaceId; readonly commit: string };

export class RunChanges {
  readonly #ports: RunChangesPorts;
  /** One apply at a time: a second one must not take the plan of the first for its own. */
  readonly #applying = new Serial();
  /**
   * Ends of applies, by run, that are stored in the plan's file and not yet in the journal, because
   * the disk was full.
   */
  readonly #unrecorded = new Map<
    string,
    { readonly workspace: WorkspaceId; readonly end: ApplyEnd }
  >();

  constructor(ports: RunChangesPorts) {
    this.#ports = ports;
  }

  async diff(id: RunId): Promise<WorkDiff> {
    const { workspace, commit } = await this.#findWork(id);
    return this.#ports.trees.diff(workspace, commit);
  }

  /**
   * Applies all of the work or nothing. If the same apply was interrupted before, it continues from
   * the stored plan.
   */
  apply(id: RunId, options: ApplyRequest, request?: RequestMark): Promise<Applied> {
    return this.#applying.run(() => this.#apply(id, options, request));
  }

  async #apply(id: RunId, options: ApplyRequest, request?: RequestMark): Promise<Applied> {
    await this.#recordPending();
    await this.#requireEnded(id);
    const { workspace, commit } = await this.#findWork(id);
    // A stored plan proves no approval: it may come from a request with other flags.
    const included = await this.#requireApprovals(id, workspace, commit, options);
    const { trees } = this.#ports;
    const branch = options.branch ?? null;
    const stored = parseStoredPlan(await trees.readPlan(workspace), { commit, branch });
    const next = stored ?? (await trees.plan(workspace, commit, options.branch));
    if (stored === undefined) await trees.writePlan(workspace, JSON.stringify(next));
    const begun = {
      run: id,
      commit,
      branch,
      files: next.plan.edits.length,
      ...(included.length === 0 ? {} : { included: [...included] }),
      ...(request === undefined ? {} : { request }),
    };
    await this.#ports
      .record({ type: 'apply.begun', payload: begun })
      .catch(async (error: unknown) => {
        // This apply changed nothing, so it leaves no plan. A stored plan belongs to an apply that
        // did start.
        if (stored === undefined) await trees.removePlan(workspace).catch(() => undefined);
        throw error;
      });
    return this.#finish(begun, workspace, next, {
      onFull: 'wait',
      isResumed: stored !== undefined,
    });
  }

  /** Executes a plan whose start is recorded, and records its end. */
  async #finish(
    { run, commit, branch, files }: BegunPayload,
    workspace: WorkspaceId,
    next: StoredApplyPlan,
    { onFull, isResumed }: { readonly onFull: OnFull; readonly isResumed: boolean },
  ): Promise<Applied> {
    const made = await this.#ports.trees.execute(next).catch(async (error: unknown) => {
      // An owner that is closing may still execute this plan. Removing the plan now could leave it
      // half applied forever.
      if (isResumed && isRefusal(error, 'workspace.busy')) throw error;
      // A refusal means that nothing was changed. After a defect the plan stays, so that it can be
      // executed again.
      if (error instanceof Refusal) {
        const answer = { refused: error.data };
        await this.#endApply(run, workspace, { commit, how: error.message, answer }, onFull);
      }
      throw error;
    });
    const applied = { commit, files, branch, made, merged: next.plan.merged.length };
    const how = `applied ${plural(files, 'file')}`;
    await this.#endApply(run, workspace, { commit, how, answer: { applied } }, onFull);
    return applied;
  }

  /**
   * The paths that the person approved. Refuses with `workspace.needs-approval` if an approval is
   * missing.
   */
  async #requireApprovals(
    id: RunId,
    workspace: WorkspaceId,
    commit: string,
    options: ApplyRequest,
  ): Promise<readonly string[]> {
    const approvals = await this.#ports.trees.approvals(workspace, commit);
    const missing = missingApprovals(approvals, options);
    if (missing.length > 0) throw needsApproval(id, missing);
    return [...new Set(approvals.map(({ path }) => path))].slice(0, INCLUDED_MAX);
  }

  /**
   * Completes the applies that an owner started before it died. Tries all of them, then rejects
   * with the error of the first that failed.
   */
  async resume(facts: readonly StoredEvent[]): Promise<void> {
    const failures: unknown[] = [];
    for (const begun of unfinishedApplies(facts))
      await this.#applying
        .run(() => this.#resumeOne(begun))
        .catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** Runs in its turn: an apply before it may have executed or dropped this plan. */
  async #resumeOne({ seq, payload }: BegunFact): Promise<void> {
    const { request: _, ...begun } = payload;
    const { commit, branch } = begun;
    const id = parseRunId(begun.run);
    if (id === undefined || (await this.#findEnd(id, seq)) !== undefined) return;
    const { workspace } = await this.#findWork(id);
    const { trees } = this.#ports;
    const end = parseStoredEnd(await trees.readPlan(workspace), commit);
    const plan = parseStoredPlan(await trees.readPlan(workspace), { commit, branch });
    if (end !== undefined) await this.#endApply(id, workspace, end, 'refuse');
    // Without a plan the apply had ended, and only the fact is missing.
    else if (plan === undefined)
      await this.#endApply(id, workspace, { commit, how: 'ended when its owner died' }, 'refuse');
    else {
      await this.#ports.record({ type: 'apply.begun', payload: begun });
      await this.#finish(begun, workspace, plan, { onFull: 'refuse', isResumed: true });
    }
  }

  /** How the apply that started at this fact ended. */
  async #findEnd(run: string, seq: number): Promise<Payload<'apply.ended'> | undefined> {
    for await (const fact of this.#ports.facts(seq))
      if (fact.type === 'apply.ended' && fact.payload.run === run) return fact.payload;
    return undefined;
  }

  /** The answer to an apply that an earlier request or an earlier owner has executed. */
  async findAnswer({ seq, payload }: StoredEvent): Promise<Applied> {
    await this.#applying.idle();
    await this.#recordPending();
    const run = 'run' in payload ? payload.run : '';
    const end = await this.#findEnd(run, seq);
    if (end !== undefined) return toApplyAnswer(end);
    throw new Refusal({
      code: 'request.outcome-unknown',
      message: `The apply of run ${run} was started, and its end is not recorded.`,
      hint: `Check the files in the project, then repeat: supervisor apply ${run}`,
    });
  }

  async discard(id: RunId): Promise<Discarded> {
    await this.#requireEnded(id);
    const { workspace } = await this.#findWork(id);
    const { kind, ref } = await this.#ports.trees.discard(workspace);
    return { kind, ref };
  }

  /**
   * The end first replaces the plan in its file: if the owner dies before the fact is recorded, the
   * next owner records it. The files have changed by then, so on a full disk the fact waits for
   * space instead of being refused.
   */
  async #endApply(
    run: string,
    workspace: WorkspaceId,
    end: ApplyEnd,
    onFull: OnFull,
  ): Promise<void> {
    const { trees, clock } = this.#ports;
    await trees.writePlan(workspace, JSON.stringify({ end }));
    this.#unrecorded.set(run, { workspace, end });
    const record = (): Promise<void> =>
      this.#ports.record({ type: 'apply.ended', payload: { run, ...end } });
    await (onFull === 'wait' ? retryWhileDiskFull(clock, undefined, record) : record());
    this.#unrecorded.delete(run);
    await trees.removePlan(workspace);
  }

  /** Another apply writes its plan into the same file, so pending ends are recorded first. */
  async #recordPending(): Promise<void> {
    for (const [run, { workspace, end }] of [...this.#unrecorded])
      await this.#endApply(run, workspace, end, 'refuse');
  }

  async #requireEnded(id: RunId): Promise<void> {
    if ((await this.#ports.view(id)).outcome !== null) return;
    throw new Refusal({
      code: 'run.not-ended',
      message: `Run ${id} has not ended.`,
      hint: `Wait until it ends, or stop it with: supervisor stop ${id}`,
    });
  }

  /** The last committed work of a run. */
  async #findWork(id: RunId): Promise<CommittedWork> {
    const { outcome } = await this.#ports.view(id);
    let committed: CommittedWork | undefined;
    // A run may have a million facts, and its last commit is among the newest, so they are read
    // backwards.
    let isLatest = true;
    for await (const event of this.#ports.historyBack(id)) {
      if (event.type === 'command.begun' && event.payload.command === 'attempt') isLatest = false;
      if (event.type !== 'command.noted' || event.payload.note.kind !== 'committed') continue;
      const { root, tree, commit } = event.payload.note;
      const workspace = { home: this.#ports.home, root, run: id, attempt: tree };
      committed = { workspace, commit };
      break;
    }
    if ((committed === undefined || !isLatest) && outcome !== null)
      committed = (await this.#commitNow(id)) ?? committed;
    if (committed !== undefined) return committed;
    throw new Refusal({
      code: 'workspace.not-found',
      message: `Run ${id} has no committed work: it has not come that far, or it worked directly in the project.`,
      hint: `To see its output: supervisor logs ${id}`,
    });
  }

  /**
   * An attempt that was interrupted because the owner process died has committed nothing. Its work
   * is still in its tree.
   */
  async #commitNow(id: RunId): Promise<CommittedWork | undefined> {
    const { trees } = this.#ports;
    const workspace = await trees.last(id);
    const commit = workspace === undefined ? undefined : await trees.commitLeftovers(workspace);
    return workspace === undefined || commit === undefined ? undefined : { workspace, commit };
  }
}

/**
 * What happens to the last fact on a full disk. An owner that is starting cannot wait for space.
 */
type OnFull = 'wait' | 'refuse';
