/** What kind of work a turn shows. It is a fact about tool calls: no model is asked, and words do not count. */
import type { TaskDomain } from '../protocol/contracts/organization-contract.ts';
import { TASK_DOMAINS } from '../protocol/contracts/organization-contract.ts';
import type { TurnRecord } from '../protocol/turn.ts';

const READING = /^(?:read|view|cat|open|grep|glob|search|list|ls|find|web|fetch|browse)/i;

/** Null: the turn says nothing about it. A turn of words alone is `conversation` only if nothing else came before. */
export function domainOf({ steps }: Pick<TurnRecord, 'steps'>): TaskDomain | null {
  const counted = steps.filter(({ waits }) => waits !== true);
  if (counted.length === 0) return null;
  if (counted.some(({ writes = [] }) => writes.length > 0)) return 'coding';
  if (counted.some(({ failing }) => failing !== undefined)) return 'testing';
  return counted.every(({ tool }) => READING.test(tool)) ? 'research' : 'operations';
}

/** How many turns show each kind of work. */
export type DomainCounts = Readonly<Partial<Record<TaskDomain, number>>>;

export function countDomain(counts: DomainCounts, turn: Pick<TurnRecord, 'steps'>): DomainCounts {
  const domain = domainOf(turn);
  return domain === null ? counts : { ...counts, [domain]: (counts[domain] ?? 0) + 1 };
}

/** The work that most turns show. Null: none of them says. */
export function mainDomain(counts: DomainCounts): TaskDomain | null {
  const shown = TASK_DOMAINS.filter((one) => counts[one] !== undefined);
  const [first = null] = shown.toSorted((one, other) => (counts[other] ?? 0) - (counts[one] ?? 0));
  return first;
}
