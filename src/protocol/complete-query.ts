/** What may come next in a query: fields first, then the values of the field. The same in every client. */
import { QUERY_EXAMPLES, QUERY_FAILURES, QUERY_FIELDS, QUERY_STATES } from './run-query.ts';
import type { RunView } from './views/run-view.ts';

/** Names that the listed runs have. */
export type QueryNames = {
  readonly project: readonly string[];
  readonly agent: readonly string[];
  readonly gate: readonly string[];
};

export type QueryCompletion = {
  /** The whole query with it. After a field, values follow; after a value, another term. */
  readonly query: string;
  /** The last word of that. */
  readonly word: string;
};

/** More than these are no help. */
const SHOWN_MAX = 10;

export function namesOf(views: Iterable<Pick<RunView, 'project' | 'agent' | 'gate'>>): QueryNames {
  const [projects, agents, gates] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { project, agent, gate } of views) {
    projects.add(project.split('/').findLast((part) => part !== '') ?? '');
    if (agent !== null) agents.add(agent);
    if (gate !== null) gates.add(gate.name);
  }
  return { project: sorted(projects), agent: sorted(agents), gate: sorted(gates) };
}

function sorted(all: ReadonlySet<string>): readonly string[] {
  return [...all].filter((one) => one !== '').toSorted();
}

/** Completes the last word. A query that ends with a space gets the fields. */
export function completeQuery(query: string, names: QueryNames): readonly QueryCompletion[] {
  const cut = query.lastIndexOf(' ') + 1;
  const [before, typed] = [query.slice(0, cut), query.slice(cut)];
  const sign = /^[-!]/.exec(typed)?.[0] ?? '';
  const word = typed.slice(sign.length).toLowerCase();
  const colon = word.indexOf(':');
  const found =
    colon === -1 ? fields(word) : values(word.slice(0, colon), word.slice(colon + 1), names);
  return found
    .filter((one) => one !== word)
    .slice(0, SHOWN_MAX)
    .map((one) => ({ word: sign + one, query: `${before}${sign}${one}` }));
}

function fields(word: string): readonly string[] {
  return QUERY_FIELDS.filter((field) => field.startsWith(word)).map((field) => `${field}:`);
}

function values(name: string, typed: string, names: QueryNames): readonly string[] {
  const field = QUERY_FIELDS.find((one) => one === name);
  if (field === undefined) return [];
  // Values separated by commas are alternatives.
  const cut = typed.lastIndexOf(',') + 1;
  const [others, last] = [typed.slice(0, cut), typed.slice(cut)];
  return valuesOf(field, names)
    .filter((value) => value.toLowerCase().startsWith(last) && value !== last)
    .map((value) => `${field}:${others}${/\s/.test(value) ? `"${value}"` : value}`);
}

const TIMES = ['today', 'yesterday', '1h', '7d'];

function valuesOf(field: (typeof QUERY_FIELDS)[number], names: QueryNames): readonly string[] {
  switch (field) {
    case 'is':
      return QUERY_STATES;
    case 'failure':
      return QUERY_FAILURES;
    case 'project':
    case 'agent':
      return names[field];
    case 'gate':
      return ['failed', 'passed', 'running', 'unable', ...names.gate];
    case 'since':
      return TIMES;
    case 'cost':
      return ['>1', '<1'];
    case 'age':
      return ['>1h', '<1d'];
    case 'reason':
    case 'task':
    case 'id':
      return [QUERY_EXAMPLES[field].slice(field.length + 1)];
  }
}
