/** Conditions of a graph: a field of a node, an operator and a value. What is not known makes no condition hold. */
import type { Condition, ConditionField, GraphNode } from '../../protocol/feature.ts';

/** What is known of a node. Null: it was skipped, or has no such field. */
export type KnownValue = string | number | null;

export type ReadField = (node: string, field: ConditionField) => KnownValue;

export function allHold(conditions: readonly Condition[], read: ReadField): boolean {
  return conditions.every((one) => holds(one, read(one.node, one.field)));
}

function holds({ operator, value }: Condition, known: KnownValue): boolean {
  if (known === null) return false;
  const all = Array.isArray(value) ? value : [value];
  const [first] = all;
  switch (operator) {
    case 'equals':
      return known === first;
    case 'not_equals':
      return known !== first;
    case 'in':
      return all.includes(known);
    case 'not_in':
      return !all.includes(known);
    case 'greater_than':
      return isNumber(known, first) && known > Number(first);
    case 'at_least':
      return isNumber(known, first) && known >= Number(first);
    case 'less_than':
      return isNumber(known, first) && known < Number(first);
    case 'at_most':
      return isNumber(known, first) && known <= Number(first);
  }
}

function isNumber(known: KnownValue, value: unknown): known is number {
  return typeof known === 'number' && typeof value === 'number';
}

type FieldForm = 'number' | readonly string[];

const TASK_FIELDS = { result: ['landed', 'skipped'], files: 'number', tries: 'number' } as const;
const ANSWERS = { result: ['yes', 'no', 'skipped'] } as const;

/** What can be known of each kind of node: a number, or one of these words. */
const FIELDS: Readonly<
  Record<'task' | GraphNode['kind'], Readonly<Partial<Record<ConditionField, FieldForm>>>>
> = {
  task: TASK_FIELDS,
  gate: { result: ['green', 'red', 'skipped'], exit: 'number', coverage: 'number' },
  human: ANSWERS,
  branch: ANSWERS,
  round: ANSWERS,
  merge: { result: ['done', 'skipped'] },
};

export function fieldsOf(
  kind: 'task' | GraphNode['kind'],
): Readonly<Partial<Record<string, FieldForm>>> {
  return FIELDS[kind];
}

export function describeCondition(
  { node, field, operator, value }: Condition,
  nameOf: (id: string) => string,
): string {
  const shown = Array.isArray(value) ? value.join(', ') : String(value);
  return `${nameOf(node)}.${field} ${operator.replaceAll('_', ' ')} ${shown}`;
}
