/** What became of the work of each run: applied, committed, undone. Computed from the owner's facts. */
import { Applied } from '../../protocol/api.ts';
import type { NewOwnerEvent, OwnerEvent, Payload } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';

/** One apply: it changed something, or the project already had all of the work. */
export type ApplyRecord = AppliedView & {
  /** The user's state before it. Null: it changed no file of the tree. */
  readonly before: string | null;
};

export type Applies = {
  /** Applies and undos that began and have not ended, by run. */
  readonly begun: ReadonlyMap<string, Payload<'apply.begun'> | Payload<'undo.begun'>>;
  /** By run, oldest first. */
  readonly applied: ReadonlyMap<string, readonly ApplyRecord[]>;
  /** What the user's own git did with the work of a run last. */
  readonly moved: ReadonlyMap<string, MovedWork>;
};

/** The start of an apply or of an undo. */
export type ApplyBegun = Extract<NewOwnerEvent, { type: 'apply.begun' | 'undo.begun' }>;

export type MovedWork = {
  readonly merged: { readonly into: string; readonly at: number } | null;
  readonly rolledBackAt: number | null;
};

/** What a run itself says about its work. */
export type AppliedRun = Pick<RunView, 'id' | 'committed' | 'workFiles'>;

export const NO_APPLIES: Applies = { begun: new Map(), applied: new Map(), moved: new Map() };

const NOT_MOVED: MovedWork = { merged: null, rolledBackAt: null };

/** Of more applies of one run, only the newest can be undone. */
const APPLIES_MAX = 20;

export function foldApplies(state: Applies, event: OwnerEvent): Applies {
  switch (event.type) {
    case 'apply.begun':
    case 'undo.begun':
      return { ...state, begun: withEntry(state.begun, event.payload.run, event.payload) };
    case 'apply.ended':
      return applyEnded(state, event.payload, event.at);
    case 'undo.ended':
      return undoEnded(state, event.payload, event.at);
    case 'apply.committed': {
      const { run, made, branch } = event.payload;
      return changeCurrent(state, run, (one) => ({
        ...one,
        commit: made,
        branch: branch ?? one.branch,
      }));
    }
    case 'work.merged': {
      const { run, into } = event.payload;
      const merged = { into, at: event.at };
      return { ...state, moved: withEntry(state.moved, run, { merged, rolledBackAt: null }) };
    }
    case 'work.rolled-back': {
      const { run, phase, project } = event.payload;
      // The other phases of the feature stay, and so does the work in the project of the run.
      if (phase !== undefined || project !== undefined) return state;
      const { merged } = state.moved.get(run) ?? NOT_MOVED;
      const moved = withEntry(state.moved, run, { merged, rolledBackAt: event.at });
      // An earlier apply of the same work is not in place either: its files would have been restored instead.
      const records = (state.applied.get(run) ?? []).map((one) =>
        isUndoable(one) ? { ...one, undone: event.at } : one,
      );
      return { ...state, moved, applied: withEntry(state.applied, run, records) };
    }
    case 'owner.started':
    case 'owner.stopped':
    case 'prune.begun':
    case 'prune.ended':
      return state;
  }
}

/** The applies and undos that began and have not ended. */
export function listUnfinished({ begun }: Applies): readonly ApplyBegun[] {
  return [...begun.values()].map((payload) =>
    'restores' in payload ? { type: 'undo.begun', payload } : { type: 'apply.begun', payload },
  );
}

/**
 * The apply that an undo would undo: the newest that is in place. A branch changes no file, so it does not hide an
 * apply to the files before it.
 */
export function currentApply(state: Applies, run: string): ApplyRecord | undefined {
  const records = state.applied.get(run)?.filter(isUndoable) ?? [];
  return records.findLast(({ kind }) => kind === 'files') ?? records.at(-1);
}

/** An apply that found everything in place has changed nothing that could be undone or committed. */
function isUndoable({ undone, kind, files }: AppliedView): boolean {
  return undone === null && (kind === 'branch' || files > 0);
}

/**
 * The newest apply that is in place, or else the commit that the workflow of the run has made, or else the last apply.
 */
export function appliedView(state: Applies, run: AppliedRun): AppliedView | null {
  return viewOf(state, run, currentApply(state, run.id));
}

/** The same, if the files no longer have the work as it was applied. Then a branch says more about where it is. */
export function appliedElsewhere(state: Applies, run: AppliedRun): AppliedView | null {
  const inPlace = state.applied.get(run.id)?.filter(isUndoable) ?? [];
  const branch = inPlace.findLast(({ kind }) => kind === 'branch');
  return branch === undefined ? null : viewOf(state, run, branch);
}

function viewOf(
  state: Applies,
  run: AppliedRun,
  current: ApplyRecord | undefined,
): AppliedView | null {
  const moved = state.moved.get(run.id) ?? NOT_MOVED;
  const own = committedView(run, moved.rolledBackAt);
  const record = current ?? own ?? state.applied.get(run.id)?.at(-1);
  if (record === undefined) return null;
  const { before: _, ...view } = { before: null, ...record };
  const { merged } = moved;
  const isMerged = merged !== null && view.kind === 'branch' && merged.at >= view.at;
  return isMerged ? { ...view, into: merged.into } : view;
}

function committedView(
  { committed, workFiles }: AppliedRun,
  rolledBackAt: number | null,
): AppliedView | undefined {
  if (committed === null) return undefined;
  const { branch, commit, at } = committed;
  const undone = rolledBackAt !== null && rolledBackAt >= at ? rolledBackAt : null;
  return { kind: 'branch', at, files: workFiles, merged: 0, branch, commit, undone };
}

function applyEnded(state: Applies, { run, answer }: Payload<'apply.ended'>, at: number): Applies {
  const begun = state.begun.get(run);
  const ended = { ...state, begun: without(state.begun, run) };
  const applied = Applied.safeParse(answer?.['applied']);
  if (!applied.success) return ended;
  const { files, merged, branch, made, onto } = applied.data;
  // An apply that found everything in place changed nothing: an earlier one still counts.
  if (files === 0 && branch === null && currentApply(state, run) !== undefined) return ended;
  const record: ApplyRecord = {
    kind: branch === null ? 'files' : 'branch',
    at,
    files,
    merged,
    branch: branch ?? onto,
    commit: made,
    undone: null,
    before: begun !== undefined && 'before' in begun ? (begun.before ?? null) : null,
  };
  const records = [...(state.applied.get(run) ?? []), record].slice(-APPLIES_MAX);
  return { ...ended, applied: withEntry(state.applied, run, records) };
}

function undoEnded(state: Applies, { run, answer }: Payload<'undo.ended'>, at: number): Applies {
  const ended = { ...state, begun: without(state.begun, run) };
  if (answer?.['undone'] === undefined) return ended;
  return changeCurrent(ended, run, (one) => ({ ...one, undone: at }));
}

function changeCurrent(
  state: Applies,
  run: string,
  change: (record: ApplyRecord) => ApplyRecord,
): Applies {
  const current = currentApply(state, run);
  if (current === undefined) return state;
  const records = state.applied.get(run) ?? [];
  const changed = records.map((one) => (one === current ? change(one) : one));
  return { ...state, applied: withEntry(state.applied, run, changed) };
}

function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  key: string,
  value: Value,
): ReadonlyMap<string, Value> {
  return new Map(map).set(key, value);
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
