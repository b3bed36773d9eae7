/** What a run's agent has done, after it is over: seen, taken over into the user's tree, or put away. */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { parseRunId } from '../base/ids.ts';
import type { RunId } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { writeFileAtomic } from '../host/files.ts';
import { readTextFile, removeFile } from '../host/read-text-file.ts';
import { Applied, ErrorBody } from '../protocol/api.ts';
import type { ApplyWish, Discarded, WorkDiff } from '../protocol/api.ts';
import type { NewEvent, Payload, RequestMark, StoredEvent } from '../protocol/event.ts';
import type { RunView } from '../protocol/run-view.ts';
import type { ApplyPlan } from '../workspace/apply.ts';
import { carryOutApply, planApply } from '../workspace/apply.ts';
import type { BranchPlan } from '../workspace/apply-to-branch.ts';
import { carryOutBranch, planBranch } from '../workspace/apply-to-branch.ts';
import { findApprovals } from '../workspace/approvals.ts';
import { countLines, diffText } from '../workspace/compare.ts';
import { discardWorkspace, findLast, keepWhatIsLeft } from '../workspace/keep.ts';
import type { Change, Tree } from '../workspace/tree.ts';
import { compareTrees } from '../workspace/tree.ts';
import type { Vault } from '../workspace/vault.ts';
import { openVault, readTree } from '../workspace/vault.ts';
import type { Place, WorkspacePorts } from '../workspace/workspace.ts';
import { needRecord, pathsOf } from '../workspace/workspace.ts';
import { missingApprovals, needsApproval } from './missing-approvals.ts';

export type WorkPorts = {
  /** Where our own state lies. */
  readonly home: string;
  readonly git: WorkspacePorts;
  /** Refuses with `run.not-found`. */
  readonly view: (id: RunId) => Promise<RunView>;
  readonly history: (id: RunId) => AsyncIterable<StoredEvent>;
  /** Writes a fact about the user's tree, which is no run's. */
  readonly say: (event: NewEvent) => Promise<void>;
  /** Those facts after this seq, oldest first. */
  readonly facts: (after: number) => AsyncIterable<StoredEvent>;
};

/** A plan is small beside the files it is about, but there may be many of them. */
const PLAN_BYTES_MAX = 50_000_000;
/** For the record, which has bounds. */
const INCLUDED_MAX = 100;

type ApplyEnd = Omit<Payload<'apply.ended'>, 'run'>;

type KeptWork = { readonly place: Place; readonly commit: string };
type Plan =
  | { readonly kind: 'tree'; readonly plan: ApplyPlan }
  | { readonly kind: 'branch'; readonly plan: BranchPlan };

export class Work {
  readonly #ports: WorkPorts;
  /** One apply after the other: whoever comes second must not take the first one's plan for its own. */
  #applying: Promise<unknown> = Promise.resolve();

  constructor(ports: WorkPorts) {
    this.#ports = ports;
  }

  async diff(id: RunId): Promise<WorkDiff> {
    const { place, commit } = await this.#kept(id);
    const { vault, base, ...trees } = await this.#trees(place, commit);
    const { text, leftOut } = await diffText(vault, trees);
    const approvals = await findApprovals(vault, trees);
    const files = (await countLines(vault, base, commit)).map((file) =>
      file.kind === 'text'
        ? { path: file.path, added: file.added, removed: file.removed }
        : { path: file.path, added: null, removed: null },
    );
    return { commit, text, leftOut: leftOut.count, files, approvals: [...approvals] };
  }

  /** All or nothing. If the same apply was cut off before, it goes on from the stored plan. */
  apply(id: RunId, wish: ApplyWish, request?: RequestMark): Promise<Applied> {
    return this.#inTurn(() => this.#apply(id, wish, request));
  }

  #inTurn(apply: () => Promise<Applied>): Promise<Applied> {
    const applied = this.#applying.then(apply);
    this.#applying = applied.catch(() => undefined); // the caller gets the error
    return applied;
  }

  async #apply(id: RunId, wish: ApplyWish, request?: RequestMark): Promise<Applied> {
    await this.#ended(id);
    const { place, commit } = await this.#kept(id);
    // A stored plan proves no approval: it may come from a request with other flags.
    const included = await this.#agreed(id, place, commit, wish);
    const file = planFile(place);
    const branch = wish.branch ?? null;
    const known = await readPlan(file, { commit, branch });
    const next = known ?? (await this.#plan(place, commit, wish.branch));
    if (known === undefined) await writeFileAtomic(file, JSON.stringify(next));
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
      if (known === undefined) await removeFile(file).catch(() => undefined);
      throw error;
    });
    return this.#finish(begun, file, next);
  }

  /** Carries out a plan whose begin is on record, and records its end. */
  async #finish({ run, commit, branch, files }: Begun, file: string, next: Plan): Promise<Applied> {
    const made = await this.#carryOut(next).catch(async (error: unknown) => {
      // A refusal says that nothing was changed. After a defect the plan stays, to be carried out again.
      if (error instanceof Refusal) {
        const answer = { refused: error.data };
        await this.#endApply(run, file, { commit, how: error.message, answer });
      }
      throw error;
    });
    const applied = { commit, files, branch, made, merged: next.plan.merged.length };
    const how = `applied ${files} files`;
    await this.#endApply(run, file, { commit, how, answer: { applied } });
    return applied;
  }

  /** What the person takes with it by name; refuses with `workspace.needs-approval` what they did not agree to. */
  async #agreed(
    id: RunId,
    place: Place,
    commit: string,
    wish: ApplyWish,
  ): Promise<readonly string[]> {
    const { vault, ...trees } = await this.#trees(place, commit);
    const approvals = await findApprovals(vault, trees);
    const missing = missingApprovals(approvals, wish);
    if (missing.length > 0) throw needsApproval(id, missing);
    return [...new Set(approvals.map(({ path }) => path))].slice(0, INCLUDED_MAX);
  }

  async #trees(place: Place, commit: string): Promise<Trees> {
    const { base } = await needRecord(place);
    const vault = await openVault(pathsOf(place).project, this.#ports.git);
    const [before, after] = [await readTree(vault, base), await readTree(vault, commit)];
    return { vault, base, before, after, changes: compareTrees(before, after) };
  }

  /** Carries out to its end what an owner that died had begun to apply, by the facts of its stream. */
  async takeUp(facts: readonly StoredEvent[]): Promise<void> {
    for (const { request: _, ...begun } of unfinished(facts)) {
      const { commit, branch } = begun;
      const id = parseRunId(begun.run);
      if (id === undefined) continue;
      const file = planFile((await this.#kept(id)).place);
      const end = await readEnd(file, commit);
      const plan = await readPlan(file, { commit, branch });
      if (end !== undefined) await this.#endApply(id, file, end);
      // Without a plan it had come to its end, which only was not written down.
      else if (plan === undefined)
        await this.#endApply(id, file, { commit, how: 'ended with its owner' });
      else
        await this.#inTurn(async () => {
          await this.#ports.say({ type: 'apply.begun', payload: begun });
          return this.#finish(begun, file, plan);
        });
    }
  }

  /** What an apply was answered that another owner carried out, or that this one did for an earlier request. */
  async recall({ seq, payload }: StoredEvent): Promise<Applied> {
    await this.#applying;
    const run = 'run' in payload ? payload.run : '';
    for await (const fact of this.#ports.facts(seq))
      if (fact.type === 'apply.ended' && fact.payload.run === run) return answerOf(fact.payload);
    throw new Refusal({
      code: 'request.outcome-unknown',
      message: `The apply of run ${run} was begun, and how it ended is not on record.`,
      hint: `See what is in the project, then say again: supervisor apply ${run}`,
    });
  }

  async discard(id: RunId): Promise<Discarded> {
    await this.#ended(id);
    const { place } = await this.#kept(id);
    const { kind, ref } = await discardWorkspace(place, this.#ports.git);
    return { kind, ref };
  }

  async #plan(place: Place, commit: string, branch: string | undefined): Promise<Plan> {
    const { git } = this.#ports;
    return branch === undefined
      ? { kind: 'tree', plan: await planApply(place, git, { commit }) }
      : { kind: 'branch', plan: await planBranch(place, git, { commit, branch }) };
  }

  /** The commit that it made, where it made one. */
  async #carryOut(next: Plan): Promise<string | null> {
    const { git } = this.#ports;
    if (next.kind === 'branch') return carryOutBranch(next.plan, git);
    const done = await carryOutApply(next.plan, git);
    if (done.kind === 'applied') return null;
    throw new Refusal({
      code: 'workspace.changed-meanwhile',
      message: `${done.paths.slice(0, 5).join(', ')} changed while it was being applied. Nothing was applied.`,
      hint: 'Say it again when nobody is at work in the project.',
    });
  }

  /** The end takes the plan's place first: an owner that dies before the fact leaves it to the next. */
  async #endApply(run: string, file: string, end: ApplyEnd): Promise<void> {
    await writeFileAtomic(file, JSON.stringify({ end }));
    await this.#ports.say({ type: 'apply.ended', payload: { run, ...end } });
    await removeFile(file);
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
    let isWhole = false;
    for await (const event of this.#ports.history(id)) {
      if (event.type === 'command.begun' && event.payload.command === 'attempt') isWhole = false;
      if (event.type !== 'command.noted' || event.payload.note['kind'] !== 'kept') continue;
      const { root, tree, commit } = event.payload.note;
      const place = { home: this.#ports.home, root: String(root), run: id, attempt: Number(tree) };
      kept = { place, commit: String(commit) };
      isWhole = true;
    }
    if (!isWhole && outcome !== null) kept = (await this.#keepNow(id)) ?? kept;
    if (kept !== undefined) return kept;
    throw new Refusal({
      code: 'workspace.not-found',
      message: `Nothing of run ${id} is kept: it has not come so far, or it worked in the project itself.`,
      hint: `See what it did with: supervisor logs ${id}`,
    });
  }

  /** An attempt that was lost with its owner has kept nothing; what it did still lies in its tree. */
  async #keepNow(id: RunId): Promise<KeptWork | undefined> {
    const { home, git } = this.#ports;
    const place = await findLast(home, id);
    const commit = place === undefined ? undefined : await keepWhatIsLeft(place, git);
    return place === undefined || commit === undefined ? undefined : { place, commit };
  }
}

type Trees = {
  readonly vault: Vault;
  readonly base: string;
  readonly before: Tree;
  readonly after: Tree;
  readonly changes: readonly Change[];
};

type Begun = Payload<'apply.begun'>;

function unfinished(facts: readonly StoredEvent[]): readonly Begun[] {
  const open = new Map<string, Begun>();
  for (const { type, payload } of facts) {
    if (type === 'apply.begun') open.set(payload.run, payload);
    if (type === 'apply.ended') open.delete(payload.run);
  }
  return [...open.values()];
}

function planFile(place: Place): string {
  return join(pathsOf(place).record, '..', 'apply.json');
}

async function readEnd(file: string, commit: string): Promise<ApplyEnd | undefined> {
  const found = parseJson((await readTextFile(file, PLAN_BYTES_MAX)) ?? '');
  if (!isRecord(found) || !isRecord(found['end'])) return undefined;
  return found['end']['commit'] === commit ? (found['end'] as ApplyEnd) : undefined;
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

/** The stored plan, if it takes this commit to this branch; null stands for the user's tree. */
async function readPlan(
  file: string,
  { commit, branch }: Pick<Begun, 'commit' | 'branch'>,
): Promise<Plan | undefined> {
  const found = parseJson((await readTextFile(file, PLAN_BYTES_MAX)) ?? '');
  if (!isRecord(found) || !isRecord(found['plan'])) return undefined;
  const { kind, plan } = found as unknown as Plan;
  const to = kind === 'branch' ? plan.branch : null;
  return plan.commit === commit && to === branch ? (found as unknown as Plan) : undefined;
}
