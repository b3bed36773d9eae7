/** What a run's agent has done, after it is over: seen, taken over into the user's tree, or put away. */
import type { Clock } from '../../base/clock.ts';
import { Refusal, isRefusal } from '../../base/errors.ts';
import { parseRunId } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { retryWhileDiskFull } from '../../base/retry-while-disk-full.ts';
import { Serial } from '../../base/serial.ts';
import { Applied, ErrorBody } from '../../protocol/api.ts';
import type { ApplyRequest, Discarded, WorkDiff } from '../../protocol/api.ts';
import type { NewOwnerEvent, Payload, RequestMark, StoredEvent } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { WorkspaceId } from '../../workspace/workspace.ts';
import { missingApprovals, needsApproval } from './missing-approvals.ts';
import type { StoredApplyPlan, RunTrees } from './run-trees.ts';

export type RunChangesPorts = {
  /** Where our own state lies. */
  readonly home: string;
  readonly clock: Clock;
  readonly trees: RunTrees;
  /** Refuses with `run.not-found`. */
  readonly view: (id: RunId) => Promise<RunView>;
  /** The facts of a run, newest first. */
  readonly historyBack: (id: RunId) => AsyncIterable<StoredEvent>;
  /** Writes a fact about the user's tree, which is no run's. */
  readonly say: (event: NewOwnerEvent) => Promise<void>;
  /** Those facts after this seq, oldest first. */
  readonly facts: (after: number) => AsyncIterable<StoredEvent>;
};

/** For the record, which has bounds. */
const INCLUDED_MAX = 100;

type ApplyEnd = Omit<Payload<'apply.ended'>, 'run'>;

type KeptWork = { readonly place: WorkspaceId; readonly commit: string };
export class RunChanges {
  readonly #ports: RunChangesPorts;
  /** One apply at a time: a second one must not take the plan of the first for its own. */
  readonly #applying = new Serial();
  /** Ends of applies, by run, that are in the plan's file and found no room in the journal yet. */
  readonly #unsaid = new Map<string, { readonly place: WorkspaceId; readonly end: ApplyEnd }>();

  constructor(ports: RunChangesPorts) {
    this.#ports = ports;
  }

  async diff(id: RunId): Promise<WorkDiff> {
    const { place, commit } = await this.#kept(id);
    return this.#ports.trees.diff(place, commit);
  }

  /** All or nothing. If the same apply was cut off before, it goes on from the stored plan. */
  apply(id: RunId, wish: ApplyRequest, request?: RequestMark): Promise<Applied> {
    return this.#applying.run(() => this.#apply(id, wish, request));
  }

  async #apply(id: RunId, wish: ApplyRequest, request?: RequestMark): Promise<Applied> {
    await this.#sayUnsaid();
    await this.#ended(id);
    const { place, commit } = await this.#kept(id);
    // A stored plan proves no approval: it may come from a request with other flags.
    const included = await this.#agreed(id, place, commit, wish);
    const { trees } = this.#ports;
    const branch = wish.branch ?? null;
    const known = await this.#readPlan(place, { commit, branch });
    const next = known ?? (await trees.plan(place, commit, wish.branch));
    if (known === undefined) await trees.writePlan(place, JSON.stringify(next));
    const begun = {
      run: id,
      commit,
      branch,
      files: next.plan.edits.length,
      ...(included.length === 0 ? {} : { included: [...included] }),
      ...(request === undefined ? {} : { request }),
    };
    await this.#ports.say({ type: 'apply.begun', payload: begun }).catch(async (error: unknown) => {
      // This apply changed nothing, so it leaves no plan. A known plan belongs to an apply that did begin.
      if (known === undefined) await trees.removePlan(place).catch(() => undefined);
      throw error;
    });
    return this.#finish(begun, place, next, { onFull: 'wait', isResumed: known !== undefined });
  }

  /** Carries out a plan whose begin is on record, and records its end. */
  async #finish(
    { run, commit, branch, files }: Begun,
    place: WorkspaceId,
    next: StoredApplyPlan,
    { onFull, isResumed }: { readonly onFull: OnFull; readonly isResumed: boolean },
  ): Promise<Applied> {
    const made = await this.#ports.trees.carryOut(next).catch(async (error: unknown) => {
      // An owner that closes may still carry out this very plan: without the plan, half of it would stay for good.
      if (isResumed && isRefusal(error, 'workspace.busy')) throw error;
      // A refusal says that nothing was changed. After a defect the plan stays, to be carried out again.
      if (error instanceof Refusal) {
        const answer = { refused: error.data };
        await this.#endApply(run, place, { commit, how: error.message, answer }, onFull);
      }
      throw error;
    });
    const applied = { commit, files, branch, made, merged: next.plan.merged.length };
    const how = `applied ${files} files`;
    await this.#endApply(run, place, { commit, how, answer: { applied } }, onFull);
    return applied;
  }

  /** What the person takes with it by name; refuses with `workspace.needs-approval` what they did not agree to. */
  async #agreed(
    id: RunId,
    place: WorkspaceId,
    commit: string,
    wish: ApplyRequest,
  ): Promise<readonly string[]> {
    const approvals = await this.#ports.trees.approvals(place, commit);
    const missing = missingApprovals(approvals, wish);
    if (missing.length > 0) throw needsApproval(id, missing);
    return [...new Set(approvals.map(({ path }) => path))].slice(0, INCLUDED_MAX);
  }

  /**
   * Carries out to its end what an owner that died had begun to apply, by the facts of its stream. Rejects
   * with what stood in the way of the first that can't go on, once each of them has been tried.
   */
  async takeUp(facts: readonly StoredEvent[]): Promise<void> {
    const failures: unknown[] = [];
    for (const begun of unfinished(facts))
      await this.#applying
        .run(() => this.#takeUpOne(begun))
        .catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** In its turn only: an apply that came first may have carried out this very plan, or given it up. */
  async #takeUpOne({ seq, payload }: BegunFact): Promise<void> {
    const { request: _, ...begun } = payload;
    const { commit, branch } = begun;
    const id = parseRunId(begun.run);
    if (id === undefined || (await this.#endOf(id, seq)) !== undefined) return;
    const { place } = await this.#kept(id);
    const end = await this.#readEnd(place, commit);
    const plan = await this.#readPlan(place, { commit, branch });
    if (end !== undefined) await this.#endApply(id, place, end, 'refuse');
    // Without a plan it had come to its end, which only was not written down.
    else if (plan === undefined)
      await this.#endApply(id, place, { commit, how: 'ended with its owner' }, 'refuse');
    else {
      await this.#ports.say({ type: 'apply.begun', payload: begun });
      await this.#finish(begun, place, plan, { onFull: 'refuse', isResumed: true });
    }
  }

  /** How the apply of a run that began there has ended. */
  async #endOf(run: string, seq: number): Promise<Payload<'apply.ended'> | undefined> {
    for await (const fact of this.#ports.facts(seq))
      if (fact.type === 'apply.ended' && fact.payload.run === run) return fact.payload;
    return undefined;
  }

  /** What an apply was answered that another owner carried out, or that this one did for an earlier request. */
  async recall({ seq, payload }: StoredEvent): Promise<Applied> {
    await this.#applying.idle();
    await this.#sayUnsaid();
    const run = 'run' in payload ? payload.run : '';
    const end = await this.#endOf(run, seq);
    if (end !== undefined) return answerOf(end);
    throw new Refusal({
      code: 'request.outcome-unknown',
      message: `The apply of run ${run} was begun, and how it ended is not on record.`,
      hint: `See what is in the project, then say again: supervisor apply ${run}`,
    });
  }

  async discard(id: RunId): Promise<Discarded> {
    await this.#ended(id);
    const { place } = await this.#kept(id);
    const { kind, ref } = await this.#ports.trees.discard(place);
    return { kind, ref };
  }

  /**
   * The end takes the plan's place first: an owner that dies before the fact leaves it to the next. The files
   * have changed by then, so a full disk is no reason to say that nothing was written: the fact waits for room.
   */
  async #endApply(run: string, place: WorkspaceId, end: ApplyEnd, onFull: OnFull): Promise<void> {
    const { trees, clock } = this.#ports;
    await trees.writePlan(place, JSON.stringify({ end }));
    this.#unsaid.set(run, { place, end });
    const say = (): Promise<void> =>
      this.#ports.say({ type: 'apply.ended', payload: { run, ...end } });
    await (onFull === 'wait' ? retryWhileDiskFull(clock, undefined, say) : say());
    this.#unsaid.delete(run);
    await trees.removePlan(place);
  }

  /** Whoever begins another apply writes its plan into the same file. */
  async #sayUnsaid(): Promise<void> {
    for (const [run, { place, end }] of [...this.#unsaid])
      await this.#endApply(run, place, end, 'refuse');
  }

  async #readEnd(place: WorkspaceId, commit: string): Promise<ApplyEnd | undefined> {
    const found = parseJson((await this.#ports.trees.readPlan(place)) ?? '');
    if (!isRecord(found) || !isRecord(found['end'])) return undefined;
    return found['end']['commit'] === commit ? (found['end'] as ApplyEnd) : undefined;
  }

  /** The stored plan, if it takes this commit to this branch; null stands for the user's tree. */
  async #readPlan(
    place: WorkspaceId,
    { commit, branch }: Pick<Begun, 'commit' | 'branch'>,
  ): Promise<StoredApplyPlan | undefined> {
    const found = parseJson((await this.#ports.trees.readPlan(place)) ?? '');
    if (!isRecord(found) || !isRecord(found['plan'])) return undefined;
    const { kind, plan } = found as unknown as StoredApplyPlan;
    const to = kind === 'branch' ? plan.branch : null;
    return plan.commit === commit && to === branch
      ? (found as unknown as StoredApplyPlan)
      : undefined;
  }

  async #ended(id: RunId): Promise<void> {
    if ((await this.#ports.view(id)).outcome !== null) return;
    throw new Refusal({
      code: 'run.not-ended',
      message: `Run ${id} is going on.`,
      hint: `Wait for its end, or stop it with: supervisor stop ${id}`,
    });
  }

  /** What was kept last. */
  async #kept(id: RunId): Promise<KeptWork> {
    const { outcome } = await this.#ports.view(id);
    let kept: KeptWork | undefined;
    // Newest first: a run may have a million facts, and what it kept last is among the last of them.
    let isWhole = true;
    for await (const event of this.#ports.historyBack(id)) {
      if (event.type === 'command.begun' && event.payload.command === 'attempt') isWhole = false;
      if (event.type !== 'command.noted' || event.payload.note['kind'] !== 'kept') continue;
      const { root, tree, commit } = event.payload.note;
      const place = { home: this.#ports.home, root: String(root), run: id, attempt: Number(tree) };
      kept = { place, commit: String(commit) };
      break;
    }
    if ((kept === undefined || !isWhole) && outcome !== null)
      kept = (await this.#keepNow(id)) ?? kept;
    if (kept !== undefined) return kept;
    throw new Refusal({
      code: 'workspace.not-found',
      message: `Nothing of run ${id} is kept: it has not come so far, or it worked in the project itself.`,
      hint: `See what it did with: supervisor logs ${id}`,
    });
  }

  /** An attempt that was lost with its owner has kept nothing; what it did still lies in its tree. */
  async #keepNow(id: RunId): Promise<KeptWork | undefined> {
    const { trees } = this.#ports;
    const place = await trees.last(id);
    const commit = place === undefined ? undefined : await trees.keepWhatIsLeft(place);
    return place === undefined || commit === undefined ? undefined : { place, commit };
  }
}

type Begun = Payload<'apply.begun'>;

/** What becomes of the end's fact on a full disk. An owner that opens can't wait for room. */
type OnFull = 'wait' | 'refuse';

type BegunFact = Extract<StoredEvent, { type: 'apply.begun' }>;

function unfinished(facts: readonly StoredEvent[]): readonly BegunFact[] {
  const open = new Map<string, BegunFact>();
  for (const fact of facts) {
    if (fact.type === 'apply.begun') open.set(fact.payload.run, fact);
    if (fact.type === 'apply.ended') open.delete(fact.payload.run);
  }
  return [...open.values()];
}

function answerOf({ run, how, answer }: Payload<'apply.ended'>): Applied {
  const applied = Applied.safeParse(answer?.['applied']);
  if (applied.success) return applied.data;
  const refused = ErrorBody.safeParse({ error: answer?.['refused'] });
  if (refused.success) throw new Refusal(refused.data.error);
  throw new Refusal({
    code: 'request.outcome-unknown',
    message: `The apply of run ${run} has ended: ${how}.`,
    hint: `See what is in the project, then say again: supervisor apply ${run}`,
  });
}
