/** A run that another run has started, as the history of that run knows it. */
import type { ChildSpending } from '../../protocol/child-run.ts';
import type { CommandEnd, Input } from '../../protocol/commands.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { VisitNames } from '../../protocol/visit-names.ts';

export type ChildRecord = {
  readonly key: string;
  readonly run: string;
  /** The run that started it. A fork also has the children of the run that it continues. */
  readonly parent: string;
  readonly task: string;
  readonly begunAt: number;
  readonly endedAt: number | null;
  readonly outcome: RunOutcome | null;
  readonly spent: ChildSpending | null;
};

export function newChild(
  parent: string,
  key: string,
  { run, submission }: Input<'run'>,
  begunAt: number,
): ChildRecord {
  const open = { endedAt: null, outcome: null, spent: null };
  return { key, run, parent, task: submission.task, begunAt, ...open };
}

export function endChild(child: ChildRecord, end: CommandEnd<'run'>, endedAt: number): ChildRecord {
  switch (end.kind) {
    case 'done': {
      const { outcome, spent = null } = end.result;
      return { ...child, endedAt, outcome, spent };
    }
    case 'interrupted':
      return { ...child, endedAt };
    case 'defect':
      return { ...child, endedAt, outcome: { kind: 'failed', reason: end.message } };
  }
}

/** Each child by its key, as a person knows it: `step implement#2` for the second visit of a step. */
export function childNames(
  children: readonly ChildRecord[],
  steps: readonly string[],
): ReadonlyMap<string, string> {
  const visits = new VisitNames(steps);
  return new Map(
    children.map(({ key }) => {
      const name = visits.nameOf(key);
      return [key, name === undefined ? key : `step ${name}`];
    }),
  );
}
