/**
 * Queries that select runs, such as `is:running project:shop -agent:codex "login form"`. The terminal and every dashboard
 * share this parser and matcher, so that a query means the same everywhere.
 *
 * A query is a list of terms, and a run matches if every term matches. A term is `field:value` or a word of the task.
 * Values separated by commas are alternatives, and a minus or an exclamation mark before a term negates it. Quotation marks keep spaces.
 */
import type { FailureReason } from './failure-reason.ts';
import { FAILURE_REASONS } from './failure-reason.ts';
import { ownSpending } from './views/own-spending.ts';
import { openQuestions } from './views/questions-of-run.ts';
import type { RunView } from './views/run-view.ts';
import type { RunStatus } from './views/run-status.ts';
import { runStatus } from './views/run-status.ts';

/** What a query can ask about a run. */
export type RunFacts = {
  readonly view: RunView;
  /** Why it is in its state. */
  readonly reason: string | null;
};

export type RunQuery = { readonly terms: readonly Term[] };

type Term = {
  readonly field: Field;
  /** Alternatives: one of them must match. In lower case. */
  readonly values: readonly string[];
  readonly isNegated: boolean;
};

export const QUERY_FIELDS = [
  ...(['is', 'project', 'agent', 'task', 'id', 'gate'] as const),
  ...(['reason', 'failure', 'cost', 'age', 'since'] as const),
] as const;
type Field = (typeof QUERY_FIELDS)[number];

export type ParsedQuery =
  | { readonly kind: 'query'; readonly query: RunQuery }
  | { readonly kind: 'invalid'; readonly message: string; readonly hint: string };

/** Words for several states at once. */
const GROUPS = {
  'needs-you': [],
  active: [],
  ended: [],
  working: ['preparing', 'running', 'taken_over', 'verifying', 'finalizing'],
  waiting: ['queued', 'waiting', 'cooling', 'retrying', 'awaiting_input', 'paused'],
  done: ['succeeded', 'unverified'],
  bad: ['failed', 'refused', 'exhausted', 'blocked', 'killed'],
} as const satisfies Readonly<Record<string, readonly RunStatus[]>>;

const STATES: readonly RunStatus[] = [
  ...([
    'queued',
    'preparing',
    'running',
    'taken_over',
    'retrying',
    'cooling',
    'verifying',
  ] as const),
  ...(['finalizing', 'waiting', 'awaiting_input', 'summoned', 'parked', 'stopping'] as const),
  ...(['paused', 'succeeded', 'unverified', 'failed', 'refused', 'cancelled'] as const),
  ...(['killed', 'exhausted', 'blocked'] as const),
];

/** What `is:` takes. */
export const QUERY_STATES: readonly string[] = [...new Set([...Object.keys(GROUPS), ...STATES])];

/** Words for several reasons at once. A red gate is no reason of an attempt. */
const FAILURE_GROUPS = {
  gate: [],
  limit: ['rate_limited', 'quota_exhausted', 'overloaded'],
  login: ['auth', 'keys_missing'],
  crash: ['crashed', 'killed', 'oom', 'interrupted', 'gateway_failed'],
  money: ['budget', 'price_unknown'],
} as const satisfies Readonly<Record<string, readonly FailureReason[]>>;

/** What `failure:` takes. */
export const QUERY_FAILURES: readonly string[] = [
  ...new Set([...Object.keys(FAILURE_GROUPS), ...FAILURE_REASONS]),
];

const TERMS_MAX = 50;
const COST = /^([<>]?)\$?(\d{1,9}(?:\.\d{1,6})?)$/;
const AGE = /^([<>]?)(\d{1,9})(s|m|h|d)$/;
const DAYS = /^(?:today|yesterday|\d{4}-\d{2}-\d{2})$/;
const BACK = /^(\d{1,9})(s|m|h|d)$/;
const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export function parseRunQuery(text: string): ParsedQuery {
  const words = splitWords(text);
  if (words === undefined)
    return invalid('A quotation mark of the query is not closed.', 'Close it: task:"log in"');
  if (words.length > TERMS_MAX)
    return invalid(`The query has more than ${TERMS_MAX} terms.`, 'Use fewer terms.');
  const terms: Term[] = [];
  for (const word of words) {
    const term = parseTerm(word);
    if ('kind' in term) return term;
    terms.push(term);
  }
  return { kind: 'query', query: { terms } };
}

/** Whether a command-line argument is a term of a query. Otherwise it names a run. */
export function isQueryTerm(word: string): boolean {
  return /^[-!]?[a-z]+:/i.test(word);
}

/** Whether the query may ask for runs that have ended. */
export function asksForEnded({ terms }: RunQuery): boolean {
  return terms.some(({ field }) => field === 'is' || field === 'failure' || field === 'since');
}

export function matchesQuery({ terms }: RunQuery, facts: RunFacts, now: number): boolean {
  return terms.every(({ field, values, isNegated }) => {
    const isMatch = values.some((value) => matches(field, value, facts, now));
    return isMatch !== isNegated;
  });
}

/** Splits at white space outside quotation marks, and removes the marks. Undefined: one is not closed. */
function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let [word, isQuoted, isStarted] = ['', false, false];
  for (const character of text) {
    if (character === '"') {
      isQuoted = !isQuoted;
      isStarted = true;
    } else if (!isQuoted && /\s/.test(character)) {
      if (isStarted || word !== '') words.push(word);
      [word, isStarted] = ['', false];
    } else word += character;
  }
  if (isQuoted) return undefined;
  return isStarted || word !== '' ? [...words, word] : words;
}

type Invalid = Extract<ParsedQuery, { kind: 'invalid' }>;

function parseTerm(word: string): Term | Invalid {
  const isNegated = word.startsWith('-') || word.startsWith('!');
  const text = isNegated ? word.slice(1) : word;
  const cut = text.indexOf(':');
  if (cut === -1 || !/^[a-z]+$/i.test(text.slice(0, cut)))
    return text === ''
      ? invalid('The query has an empty term.', 'Write a field and a value: is:running')
      : { field: 'task', values: [text.toLowerCase()], isNegated };
  const name = text.slice(0, cut).toLowerCase();
  const field = QUERY_FIELDS.find((one) => one === name);
  if (field === undefined)
    return invalid(
      `A query has no field ${JSON.stringify(name)}.`,
      `Use one of: ${QUERY_FIELDS.join(', ')}`,
    );
  const values = text
    .slice(cut + 1)
    .toLowerCase()
    .split(',')
    .filter((value) => value !== '');
  if (values.length === 0)
    return invalid(`${name}: has no value.`, `Write one: ${QUERY_EXAMPLES[field]}`);
  const wrong = values.find((value) => !isValid(field, value));
  return wrong === undefined
    ? { field, values, isNegated }
    : invalid(
        `${JSON.stringify(wrong)} is not a value for ${name}:`,
        VALUES[field] === undefined
          ? `Example: ${QUERY_EXAMPLES[field]}`
          : `Use one of: ${VALUES[field].join(', ')}`,
      );
}

export const QUERY_EXAMPLES: Readonly<Record<Field, string>> = {
  is: 'is:running',
  project: 'project:shop',
  agent: 'agent:claude',
  task: 'task:login',
  id: 'id:3f2a',
  gate: 'gate:failed',
  reason: 'reason:limit',
  failure: 'failure:limit',
  cost: 'cost:>1.50',
  age: 'age:>2h',
  since: 'since:yesterday',
};

function invalid(message: string, hint: string): Invalid {
  return { kind: 'invalid', message, hint };
}

const VALUES: Partial<Readonly<Record<Field, readonly string[]>>> = {
  is: QUERY_STATES,
  failure: QUERY_FAILURES,
};

function isValid(field: Field, value: string): boolean {
  const values = VALUES[field];
  if (values !== undefined) return values.includes(value);
  if (field === 'since') return startOf(value, 0) !== undefined;
  if (field === 'cost') return COST.test(value);
  return field !== 'age' || AGE.test(value);
}

function matches(field: Field, value: string, { view, reason }: RunFacts, now: number): boolean {
  const has = (text: string | null | undefined): boolean =>
    text?.toLowerCase().includes(value) === true;
  switch (field) {
    case 'is':
      return isInState(view, value);
    case 'project':
      return isOfProject(view.project.toLowerCase(), value);
    case 'agent':
      return [view.agent, view.name].some((name) => name?.toLowerCase() === value);
    case 'task':
      return has(view.task) || has(view.name);
    case 'id':
      return view.id.startsWith(value);
    case 'gate':
      return view.gate?.verdict === value || view.gate?.name.toLowerCase() === value;
    case 'reason':
      return has(reason);
    case 'failure':
      return isFailure(view, value);
    case 'since':
      return (view.endedAt ?? now) >= (startOf(value, now) ?? 0);
    case 'cost': {
      const [, sign = '', amount = ''] = COST.exec(value) ?? [];
      return compare(ownSpending(view.budget).usd, sign, Number(amount));
    }
    case 'age': {
      const [, sign = '', count = '', unit = 's'] = AGE.exec(value) ?? [];
      return compare(
        now - view.submittedAt,
        sign,
        Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS],
      );
    }
  }
}

/** The begin of a day where the person is, or so long ago. Undefined: no time. */
function startOf(value: string, now: number): number | undefined {
  const [, count, unit = 's'] = BACK.exec(value) ?? [];
  if (count !== undefined) return now - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!DAYS.test(value)) return undefined;
  const isNamed = value === 'today' || value === 'yesterday';
  const day = isNamed ? new Date(now) : new Date(`${value}T00:00:00`);
  if (isNamed) day.setHours(0, 0, 0, 0);
  if (value === 'yesterday') day.setDate(day.getDate() - 1);
  return Number.isNaN(day.getTime()) ? undefined : day.getTime();
}

function isFailure({ failure, gate, outcome }: RunView, value: string): boolean {
  if (value === 'gate') return gate?.verdict === 'failed' || gate?.verdict === 'unable';
  // The work that was done in the end is no failure.
  if (failure === null || outcome?.kind === 'succeeded') return false;
  const group: readonly FailureReason[] | undefined = Object.hasOwn(FAILURE_GROUPS, value)
    ? FAILURE_GROUPS[value as keyof typeof FAILURE_GROUPS]
    : undefined;
  return group === undefined ? failure === value : group.includes(failure);
}

/** Without a sign, the value is a minimum. */
function compare(actual: number, sign: string, value: number): boolean {
  if (sign === '<') return actual < value;
  return sign === '>' ? actual > value : actual >= value;
}

function isInState(view: RunView, value: string): boolean {
  if (value === 'active') return view.outcome === null;
  if (value === 'ended') return view.outcome !== null;
  // An agent may ask something and continue.
  if (value === 'needs-you') return view.outcome === null && openQuestions(view).length > 0;
  const status = runStatus(view);
  const group: readonly RunStatus[] | undefined = Object.hasOwn(GROUPS, value)
    ? GROUPS[value as keyof typeof GROUPS]
    : undefined;
  return group === undefined ? status === value : group.includes(status);
}

/** The name of its folder, or a path. */
function isOfProject(project: string, value: string): boolean {
  const path = value.length > 1 && value.endsWith('/') ? value.slice(0, -1) : value;
  if (path.startsWith('/')) return project === path || project.startsWith(`${path}/`);
  return project.split('/').at(-1) === path;
}
