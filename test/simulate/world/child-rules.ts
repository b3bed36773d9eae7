/** The invariants of runs that start runs, checked on the facts alone. */
import { canonicalJson } from '../../../src/base/json.ts';
import type { ParentLink } from '../../../src/protocol/child-run.ts';
import type { BudgetView } from '../../../src/protocol/views/budget-view.ts';
import { foldBudget, NO_BUDGET_SPENT } from '../../../src/protocol/views/budget-view.ts';
import { ownSpending } from '../../../src/protocol/views/own-spending.ts';
import type { Invariant } from './attempt-rules.ts';
import { afterFaults, SLACK_MS } from './exemptions.ts';
import { groupByRun } from './lineage.ts';
import type { RunFact, WorldRecord } from './record.ts';

export const CHILD_RULES: readonly Invariant[] = [
  {
    name: 'a command starts one child at most, and is on record before it',
    breaches: startedTwice,
  },
  { name: 'no child outlives its parent', breaches: outliving },
  { name: 'a parent has the outcome of its child', breaches: wrongOutcomes },
  { name: 'a cancelled child is stopped', breaches: notStopped },
  { name: 'money of a child counts once', breaches: wrongSums },
];

type Family = readonly (readonly [child: string, facts: readonly RunFact[], link: ParentLink])[];

function childrenIn({ facts }: WorldRecord): Family {
  return [...groupByRun(facts)].flatMap(([run, own]) => {
    const link = linkOf(own[0]);
    return link === undefined ? [] : [[run, own, link] as const];
  });
}

function linkOf(first: RunFact | undefined): ParentLink | undefined {
  if (first?.type === 'run.submitted') return first.payload.parent;
  return first?.type === 'run.forked' ? first.payload.submission.parent : undefined;
}

/** The child that a fact of the parent announces. */
function announced(fact: RunFact): string | undefined {
  if (fact.type === 'command.begun' && fact.payload.command === 'run')
    return fact.payload.input.run;
  if (fact.type === 'command.noted' && fact.payload.command === 'run')
    return fact.payload.note.input.run;
  return undefined;
}

function startedTwice(record: WorldRecord): readonly string[] {
  const runs = groupByRun(record.facts);
  const seen = new Set<string>();
  return childrenIn(record).flatMap(([child, own, { run, key }]) => {
    const announcement = runs.get(run)?.find((fact) => announced(fact) === child);
    const isFirst = announcement !== undefined && announcement.id < (own[0]?.id ?? 0);
    const isTwice = seen.has(`${run}/${key}`);
    seen.add(`${run}/${key}`);
    return [
      ...(isFirst ? [] : [`run ${child} started before ${key} of run ${run} was on record`]),
      ...(isTwice ? [`${key} of run ${run} started run ${child} besides another one`] : []),
    ];
  });
}

function outliving(record: WorldRecord): readonly string[] {
  const runs = groupByRun(record.facts);
  const endOf = (run: string): number | undefined =>
    runs.get(run)?.find(({ type }) => type === 'run.ended')?.id;
  return childrenIn(record).flatMap(([child, , { run }]) => {
    const end = endOf(run);
    return end === undefined || (endOf(child) ?? Infinity) < end
      ? []
      : [`run ${child} outlived its parent, run ${run}`];
  });
}

/** A child that ends at that moment need not be stopped any more. */
function notStopped({ facts, troubles }: WorldRecord): readonly string[] {
  const runs = groupByRun(facts);
  return [...runs].flatMap(([run, own]) =>
    own.flatMap((fact) => {
      if (fact.type !== 'command.cancelled') return [];
      const { key } = fact.payload;
      const child = own.findLast((one) => isAbout(one, key) && announced(one) !== undefined);
      const after = runs.get(child === undefined ? '' : (announced(child) ?? '')) ?? [];
      const end = after.find(({ type }) => type === 'run.ended');
      const dueMs = afterFaults(troubles, fact.elapsedMs) + SLACK_MS;
      if (end === undefined || end.elapsedMs <= dueMs || after.some(isStop)) return [];
      return [`run ${run}: its child ${key} was cancelled and not stopped`];
    }),
  );
}

function isAbout(fact: RunFact, key: string): boolean {
  return 'key' in fact.payload && fact.payload.key === key;
}

function isStop(fact: RunFact): boolean {
  if (fact.type !== 'signal.received') return false;
  return fact.payload.signal.kind === 'stop' || fact.payload.signal.kind === 'kill';
}

function wrongOutcomes({ facts }: WorldRecord): readonly string[] {
  const runs = groupByRun(facts);
  return [...runs].flatMap(([run, own]) =>
    own.flatMap((fact) => {
      if (fact.type !== 'command.ended' || fact.payload.command !== 'run') return [];
      const { key, end } = fact.payload;
      if (end.kind !== 'done') return [`run ${run}: its child ${key} ended as ${end.kind}`];
      const { run: child, outcome } = end.result;
      if (child === null) return [];
      const ended = runs.get(child)?.find(({ type }) => type === 'run.ended');
      const real = ended?.type === 'run.ended' ? ended.payload.outcome : null;
      return canonicalJson(real) === canonicalJson(outcome)
        ? []
        : [`run ${run}: ${key} has another outcome than run ${child}`];
    }),
  );
}

/** The spending of all runs without parents is the spending of all attempts. */
function wrongSums({ facts }: WorldRecord): readonly string[] {
  const runs = [...groupByRun(facts)];
  const budgets = runs.map(([run, own]) => ({ run, own, budget: budgetOf(own) }));
  const attempts = budgets.reduce((sum, { budget }) => sum + ownCalls(budget), 0);
  const top = budgets
    .filter(({ own }) => linkOf(own[0]) === undefined)
    .reduce((sum, { budget }) => sum + ownSpending(budget).calls, 0);
  const isOver = budgets.every(({ own }) => own.some(({ type }) => type === 'run.ended'));
  return isOver && attempts !== top
    ? [`${attempts} calls were made, and the runs without parents have ${top}`]
    : [];
}

function budgetOf([first, ...rest]: readonly RunFact[]): BudgetView {
  const start = first?.type === 'run.forked' ? first.payload.budget : undefined;
  return rest.reduce<BudgetView>(foldBudget, start ?? NO_BUDGET_SPENT);
}

/** The calls of its own attempts, without those of its children. */
function ownCalls(budget: BudgetView): number {
  return ownSpending(budget).calls - (budget.children?.calls ?? 0);
}
