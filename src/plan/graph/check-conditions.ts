/** Whether the conditions of a graph can hold: the node comes before, has this field, and the value is of its kind. */
import type { Condition } from '../../protocol/feature.ts';
import { nearest } from '../../yaml/nearest.ts';
import { quote } from '../../yaml/problem.ts';
import { suggest } from '../../yaml/schema-faults.ts';
import type { FeatureGraph } from '../feature-graph.ts';
import { findAncestors } from '../feature-graph.ts';
import type { ReportFault } from '../read-feature.ts';
import { fieldsOf } from './conditions.ts';
import type { Draft, NamedCondition } from './expand-nodes.ts';

const OF_WORDS: ReadonlySet<string> = new Set(['equals', 'not_equals', 'in', 'not_in']);

/** Without its node. Undefined: something is wrong with it, which is reported. */
export function readCondition(
  { file, path, name }: NamedCondition,
  kindOf: (name: string) => Parameters<typeof fieldsOf>[0],
  report: ReportFault,
): Omit<Condition, 'node'> | undefined {
  if (name === undefined) return undefined;
  const [id = '', field = ''] = file.field.split('.');
  const kind = kindOf(name);
  const fields = fieldsOf(kind);
  const form = fields[field];
  if (form === undefined) {
    const all = Object.keys(fields);
    const meant = nearest(field, all);
    report(
      [...path, 'field'],
      `${quote(id)} has no ${field}${suggest(meant)}; it has ${all.join(', ')}`,
      meant,
    );
    return undefined;
  }
  const { operator, value } = file;
  const isList = Array.isArray(value);
  if (isList !== (operator === 'in' || operator === 'not_in')) {
    report([...path, 'value'], `${operator} needs ${isList ? 'one value' : 'a list of values'}`);
    return undefined;
  }
  const values: readonly (string | number)[] = Array.isArray(value) ? value : [value];
  if (form === 'number') {
    const wrong = values.find((one) => typeof one !== 'number');
    if (wrong === undefined) return { field: field as Condition['field'], operator, value };
    report(
      [...path, 'value'],
      `${quote(`${id}.${field}`)} is a number, and ${quote(wrong)} is none`,
    );
    return undefined;
  }
  if (!OF_WORDS.has(operator)) {
    report(
      [...path, 'operator'],
      `${quote(`${id}.${field}`)} is a word, and ${operator} compares numbers`,
    );
    return undefined;
  }
  const wrong = values.find((one) => !form.includes(String(one)));
  if (wrong === undefined) return { field: field as Condition['field'], operator, value };
  const meant = nearest(String(wrong), form);
  const all = form.join(', ');
  report(
    [...path, 'value'],
    `${quote(`${id}.${field}`)} is never ${quote(String(wrong))}${suggest(meant)}; it is one of ${all}`,
    meant,
  );
  return undefined;
}

/** What a condition looks at has to be known by then. */
export function checkConditions(
  drafts: readonly Draft[],
  graph: FeatureGraph,
  report: ReportFault,
): void {
  const ancestors = findAncestors(graph);
  const ids = new Map(graph.components.map(({ id, name }) => [name, id]));
  for (const { name: own, when } of drafts)
    for (const { name, path, file } of when) {
      const [id, of] = [ids.get(own), ids.get(name ?? '')];
      if (id === undefined || of === undefined || ancestors.get(id)?.has(of) === true) continue;
      report(
        [...path, 'field'],
        `${quote(own)} does not wait for ${quote(file.field.split('.')[0] ?? '')}: add it under after`,
      );
    }
}
