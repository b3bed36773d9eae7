/** Checks the chain of steps: every step is reached, and the way forward has an end. */
import { quote } from '../yaml/problem.ts';
import type { Chain } from './link-steps.ts';
import type { Report, StepDraft } from './step-draft.ts';

const STEPS_MAX = 50;

export function checkChain({ initial, drafts }: Chain, report: Report): void {
  if (drafts.length === 0) report(['steps'], 'there is no step');
  if (drafts.length > STEPS_MAX)
    report(['steps'], `${drafts.length} steps; the limit is ${STEPS_MAX}`);
  const circle = findCircle(drafts);
  if (circle !== undefined) {
    const [first] = circle;
    const path = [...(first?.path ?? ['steps']), 'next'];
    const names = [...circle, first].map((draft) => draft?.id ?? '').join(' → ');
    const hasEnd = drafts.some(({ next }) => next === null);
    const end = hasEnd ? '' : ' No step ends the workflow: one must have no next.';
    report(
      path,
      `the steps go in a circle without a bound: ${names}.${end} Only on_fail and on_reject may go back`,
    );
    return;
  }
  for (const draft of unreachable({ initial, drafts }))
    report(
      draft.path,
      `no step leads to ${quote(draft.id)}: name it in next, on_fail or on_reject of another step, give it a position, or disable it`,
    );
}

/** The first circle of `next` links. Links back after a failure are bounded, these are not. */
function findCircle(drafts: readonly StepDraft[]): readonly StepDraft[] | undefined {
  const byId = new Map(drafts.map((draft) => [draft.id, draft]));
  const clear = new Set<string>();
  for (const start of drafts) {
    const way: StepDraft[] = [];
    let at: StepDraft | undefined = start;
    while (at !== undefined && !clear.has(at.id)) {
      const seen = way.indexOf(at);
      if (seen !== -1) return way.slice(seen);
      way.push(at);
      at = at.next === null ? undefined : byId.get(at.next);
    }
    for (const { id } of way) clear.add(id);
  }
  return undefined;
}

/** The steps that no link leads to, from the first step on. */
export function unreachable({ initial, drafts }: Chain): readonly StepDraft[] {
  const byId = new Map(drafts.map((draft) => [draft.id, draft]));
  const reached = new Set<string>();
  const open = [initial];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const draft = byId.get(id);
    if (draft === undefined || reached.has(id)) continue;
    reached.add(id);
    for (const target of [draft.next, draft.onFail, draft.onReject])
      if (target !== null) open.push(target);
  }
  return drafts.filter(({ id }) => !reached.has(id));
}
