/** The work of an ended run: shows it, applies it to the user's project, undoes that, or discards it. */
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { Serial } from '../../base/serial.ts';
import type {
  Applied,
  ApplyDetails,
  ApplyRequest,
  CommittedRequest,
  Discarded,
  MovedRequest,
  Undone,
  WorkDiff,
} from '../../protocol/api.ts';
import type { NewOwnerEvent, StoredEvent } from '../../protocol/event.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import type { WorkspaceId } from '../../workspace/workspace.ts';
import { workspacePaths } from '../../workspace/workspace.ts';
import type { AppliedRun, ApplyRecord } from '../applies/fold-applies.ts';
import type { ApplyAnswer } from './apply-facts.ts';
import { parseStoredPlan, refuseUnfinished, unfinishedApplies } from './apply-facts.ts';
import type { FoundWork } from './find-work.ts';
import { findWork } from './find-work.ts';
import { missingApprovals, needsApproval } from './missing-approvals.ts';
import type { RecordedPlansPorts } from './recorded-plans.ts';
import { RecordedPlans } from './recorded-plans.ts';
import { requireSucceeded } from './require-succeeded.ts';
import { notApplied, requireUndoable } from './require-undoable.ts';

export type RunChangesPorts = RecordedPlansPorts & {
  /** What became of the work of each run so far. */
  readonly applies: RecordedPlansPorts['applies'] & {
    readonly elsewhere: (run: AppliedRun) => Promise<AppliedView | null>;
    readonly view: (run: AppliedRun) => Promise<AppliedView | null>;
    /** The apply that an undo would undo. */
    readonly current: (id: RunId) => Promise<ApplyRecord | undefined>;
  };
  /** The message of a commit with the work of a run. */
  readonly message: (id: RunId, firstLine?: string) => Promise<string>;
};

/** The fact has a bounded size, so it lists at most this many approved paths. */
const INCLUDED_MAX = 100;
/** Of the files that keep a workspace from being deleted. */
const NAMES_MAX = 5;

export class RunChanges {
  readonly #ports: RunChangesPorts;
  readonly #plans: RecordedPlans;
  /** One apply at a time: a second one must not take the plan of the first for its own. */
  readonly #applying = new Serial();

  constructor(ports: RunChangesPorts) {
    this.#ports = ports;
    this.#plans = new RecordedPlans(ports);
  }

  /** `project`: the path of one that a feature spans. */
  async diff(id: RunId, project?: string): Promise<WorkDiff> {
    const { workspace, commit } = await findWork(this.#ports, id, project);
    const diff = await this.#ports.trees.diff(workspace, commit);
    return { ...diff, applied: await this.applied(id) };
  }

  /** What became of the work, and whether its files are still as they were applied. */
  async applied(id: RunId): Promise<AppliedView | null> {
    const { applies, trees } = this.#ports;
    const { committed, workFiles } = await this.#ports.view(id);
    const view = await applies.view({ id, committed, workFiles });
    const before = (await applies.current(id))?.before ?? null;
    if (view === null || before === null) return view;
    const workspace = await this.#findWork(id).then(
      (found) => found.workspace,
      (error: unknown) => {
        if (error instanceof Refusal) return undefined; // the work is gone, and what was applied is not known
        throw error;
      },
    );
    const isChanged =
      workspace !== undefined && (await trees.isStillApplied(workspace, before)) === false;
    if (!isChanged) return view;
    return (await applies.elsewhere({ id, committed, workFiles })) ?? { ...view, changed: true };
  }

  /** What `apply --commit` commits, and with which message. */
  async details(id: RunId, firstLine?: string): Promise<ApplyDetails> {
    const { applies, trees, message } = this.#ports;
    const before = (await applies.current(id))?.before ?? null;
    const files =
      before === null ? [] : await trees.appliedFiles((await this.#findWork(id)).workspace, before);
    return { applied: await this.applied(id), files, message: await message(id, firstLine) };
  }

  /** The files that the work changes. Null: there is no work, or it can't be read any more. */
  async files(id: RunId): Promise<WorkDiff['files'] | null> {
    try {
      return (await this.diff(id)).files;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /**
   * Applies all of the work or nothing. If the same apply was interrupted before, it continues from
   * the stored plan.
   */
  apply(id: RunId, options: ApplyRequest, request?: RequestMark): Promise<Applied> {
    return this.#applying.run(() => this.#apply(id, options, request));
  }

  /** Restores the files that the last apply changed, all of them or none. */
  undo(id: RunId, request?: RequestMark): Promise<Undone> {
    return this.#applying.run(() => this.#undo(id, request));
  }

  /** The person has committed the applied files. */
  committed(id: RunId, { made, branch }: CommittedRequest): Promise<void> {
    return this.#applying.run(async () => {
      const current = await this.#ports.applies.current(id);
      if (current === undefined) throw notApplied(id);
      if (current.commit === made) return;
      await this.#ports.record({ type: 'apply.committed', payload: { run: id, made, branch } });
    });
  }

  /** The user's git has merged the work, or has taken it out again. */
  moved(id: RunId, request: MovedRequest): Promise<void> {
    return this.#applying.run(async () => {
      await this.#ports.view(id); // refuses an unknown run
      await this.#ports.record(movedFact(id, request));
    });
  }

  async #apply(id: RunId, options: ApplyRequest, request?: RequestMark): Promise<Applied> {
    await this.#plans.recordPending();
    const outcome = await this.#requireEnded(id);
    const { workspace, commit } = await this.#findWork(id);
    // There is nothing to record, and nothing that could be undone later.
    if (await this.#ports.trees.isUnchanged(workspace, commit)) return nothingApplied(commit);
    requireSucceeded(id, outcome, options);
    // A stored plan proves no approval: it may come from a request with other flags.
    const included = await this.#requireApprovals(id, workspace, commit, options);
    const { trees } = this.#ports;
    const branch = options.branch ?? null;
    const text = await trees.readPlan(workspace);
    refuseUnfinished('undo', id, text);
    const stored = parseStoredPlan(text, { type: 'apply.begun', payload: { commit, branch } });
    // An apply to a branch leaves the files alone, so only a plan of the same run is in its way.
    await this.#plans.completeUnfinished(({ run, root }) =>
      run === id ? stored === undefined : branch === null && root === workspace.root,
    );
    const next = stored ?? (await trees.plan(workspace, commit, await this.#target(id, options)));
    // A new branch without a change would hide where the work is.
    if (stored === undefined && next.kind === 'branch' && next.plan.edits.length === 0)
      return nothingApplied(commit);
    const begun = {
      run: id,
      commit,
      branch,
      ...(next.kind === 'tree' ? defined({ onto: next.plan.onto, before: next.plan.before }) : {}),
      files: next.plan.edits.length,
      ...(included.length === 0 ? {} : { included: [...included] }),
      ...(request === undefined ? {} : { request }),
    };
    const event = { type: 'apply.begun', payload: begun } as const;
    return (await this.#plans.start(event, workspace, next, stored !== undefined)) as Applied;
  }

  async #target(
    id: RunId,
    { branch, message }: ApplyRequest,
  ): Promise<{ readonly branch: string; readonly message: string } | undefined> {
    if (branch === undefined) return undefined;
    return { branch, message: await this.#ports.message(id, message) };
  }

  async #undo(id: RunId, request?: RequestMark): Promise<Undone> {
    await this.#plans.recordPending();
    await this.#requireEnded(id);
    const { trees, applies } = this.#ports;
    const restores = requireUndoable(id, await applies.current(id));
    const { workspace, commit } = await this.#findWork(id);
    const purpose = { type: 'undo.begun', payload: { commit, restores } } as const;
    const text = await trees.readPlan(workspace);
    refuseUnfinished('tree', id, text);
    const stored = parseStoredPlan(text, purpose);
    await this.#plans.completeUnfinished(({ run, root }) =>
      run === id ? stored === undefined : root === workspace.root,
    );
    const next = stored ?? (await trees.planUndo(workspace, commit, restores));
    const files = next.plan.edits.length;
    const payload = { run: id, commit, restores, files, ...defined({ request }) };
    const event = { type: 'undo.begun', payload } as const;
    return this.#plans.start(event, workspace, next, stored !== undefined);
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
    if (missing.length > 0) throw needsApproval(id, missing, options);
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
        .run(() => this.#plans.resume(begun))
        .catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** The answer to an apply or undo that an earlier request or an earlier owner has executed. */
  async findAnswer(fact: StoredEvent): Promise<ApplyAnswer> {
    await this.#applying.idle();
    return this.#plans.findAnswer(fact);
  }

  async discard(id: RunId): Promise<Discarded> {
    await this.#requireEnded(id);
    const { workspace } = await this.#findWork(id);
    const discarded = await this.#ports.trees.discard(workspace);
    const { kind, ref } = discarded;
    if (kind === 'gone') return { kind, ref, ...defined({ wasGone: discarded.wasGone }) };
    const files = discarded.unstorable.slice(0, NAMES_MAX).map(({ path }) => path);
    return { kind, ref, left: { folder: workspacePaths(workspace).work, files } };
  }

  async #requireEnded(id: RunId): Promise<RunOutcome> {
    const { outcome } = await this.#ports.view(id);
    if (outcome !== null) return outcome;
    throw new Refusal({
      code: 'run.not-ended',
      message: `Run ${id} has not ended.`,
      hint: `Wait until it ends, or stop it with: supervisor stop ${id}`,
    });
  }

  #findWork(id: RunId): Promise<FoundWork> {
    return findWork(this.#ports, id);
  }
}

function movedFact(run: RunId, request: MovedRequest): NewOwnerEvent {
  if (request.kind === 'merged') {
    const { branch, into, made } = request;
    return { type: 'work.merged', payload: { run, branch, into, made } };
  }
  const { how, commits, phase, project } = request;
  const payload = { run, how, commits, ...defined({ phase, project }) };
  return { type: 'work.rolled-back', payload };
}

function nothingApplied(commit: string): Applied {
  return { commit, files: 0, merged: 0, branch: null, made: null, onto: null };
}
