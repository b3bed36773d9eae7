/** Completes the links between steps: positions, steps that are left out, and reviews one after another. */
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import type { Report, StepDraft } from './step-draft.ts';

/** Reports every link to a step that does not exist, and drops it. */
export function checkLinks(drafts: readonly StepDraft[], report: Report): readonly StepDraft[] {
  const ids = drafts.map(({ id }) => id);
  return drafts.map((draft) => {
    const known = (key: string, target: string | null): string | null => {
      if (target === null || ids.includes(target)) return target;
      reportUnknown([...draft.path, key], target, ids, report);
      return null;
    };
    return {
      ...draft,
      next: known('next', draft.next),
      onFail: known('on_fail', draft.onFail),
      onReject: known('on_reject', draft.onReject),
    };
  });
}

export function reportUnknown(
  path: StepDraft['path'],
  name: string,
  ids: readonly string[],
  report: Report,
): void {
  const meant = nearest(name, ids);
  report(path, `no step is called ${quote(name)}${suggest(meant)}`, meant);
}

/** `initial`: the first step. A step that is inserted before it becomes the first one. */
export type Chain = { readonly initial: string; readonly drafts: readonly StepDraft[] };

/** `position: after X` and `before X`, in the order of the files. */
export function insertSteps(chain: Chain, report: Report): Chain {
  return chain.drafts.reduce((now, { id }) => insertStep(now, id, report), chain);
}

function insertStep({ initial, drafts }: Chain, id: string, report: Report): Chain {
  const own = drafts.find((draft) => draft.id === id);
  const [where, anchorId] = own?.file.position?.split(' ') ?? [];
  if (own === undefined || anchorId === undefined) return { initial, drafts };
  const anchor = drafts.find((draft) => draft.id === anchorId);
  const path = [...own.path, 'position'];
  if (anchor === undefined || anchor === own) {
    const others = drafts.filter((draft) => draft !== own).map((draft) => draft.id);
    reportUnknown(path, anchorId, others, report);
    return { initial, drafts };
  }
  const isLast = own.file.terminal === true;
  if (where === 'after') {
    const isLinked = anchor.next === id;
    const next = own.next ?? (isLinked || isLast ? null : anchor.next);
    return {
      initial,
      drafts: drafts.map((draft) => {
        if (draft === anchor) return { ...draft, next: id };
        return draft === own ? { ...draft, next } : draft;
      }),
    };
  }
  return {
    initial: initial === anchorId ? id : initial,
    drafts: drafts.map((draft) => {
      if (draft === own) return { ...draft, next: own.next ?? anchorId };
      return draft.next === anchorId ? { ...draft, next: id } : draft;
    }),
  };
}

/** Links go past a step that is left out. Work never goes back to one. */
export function removeSteps(
  { initial, drafts }: Chain,
  removed: ReadonlySet<string>,
  report: Report,
): Chain {
  const byId = new Map(drafts.map((draft) => [draft.id, draft]));
  const past = (id: string | null): string | null => {
    let at = id;
    for (let hops = 0; at !== null && removed.has(at); hops += 1)
      at = hops > drafts.length ? null : (byId.get(at)?.next ?? null);
    return at;
  };
  const back = (draft: StepDraft, key: string, id: string | null): string | null => {
    if (id === null || !removed.has(id)) return id;
    report([...draft.path, key], `the step ${quote(id)} is left out: name another step`);
    return null;
  };
  const left = drafts.filter(({ id }) => !removed.has(id));
  return {
    initial: past(initial) ?? left[0]?.id ?? initial,
    drafts: left.map((draft) => ({
      ...draft,
      next: past(draft.next),
      onFail: back(draft, 'on_fail', draft.onFail),
      onReject: back(draft, 'on_reject', draft.onReject),
    })),
  };
}

/** A review whose roles work one after another becomes one step for each role. The first rejection sends work back. */
export function splitReviews(
  chain: Chain,
  inSequence: (draft: StepDraft) => boolean,
  report: Report,
): Chain {
  const drafts = chain.drafts.flatMap((draft) => {
    const { roles = [], agree = 'all' } = draft.file;
    if (draft.kind !== 'review' || !inSequence(draft) || roles.length === 0) return [draft];
    if (agree !== 'all') {
      const message = `reviews one after another need the approval of all roles, not of ${agree}`;
      report([...draft.path, 'agree'], message);
      return [draft];
    }
    const nameOf = (nth: number): string => (nth === 0 ? draft.id : `${draft.id}_${nth + 1}`);
    return roles.map((role, nth): StepDraft => {
      const isLast = nth === roles.length - 1;
      const { roles: _, parallel: __, agree: ___, human_approval: approval, ...rest } = draft.file;
      const file = { ...rest, role, ...(isLast && approval === true && { human_approval: true }) };
      const next = isLast ? draft.next : nameOf(nth + 1);
      return { ...draft, id: nameOf(nth), kind: 'role', file, next };
    });
  });
  return { ...chain, drafts };
}
