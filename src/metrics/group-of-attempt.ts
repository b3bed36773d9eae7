/** The group that an attempt counts in. */
import type { MetricGroup } from '../protocol/metric-groups.ts';
import type { EndedAttempt } from './ended-attempt.ts';

/** Null: the attempt has none, such as a role. */
export function groupOf(attempt: EndedAttempt, by: MetricGroup): string | null {
  return by === 'cli-per-task' ? `${attempt.task}: ${attempt.cli}` : attempt[by];
}

/** The groups that are compared with each other. Elsewhere, that is all of them. */
export function comparedIn(group: string | null, by: MetricGroup): string {
  return by === 'cli-per-task' ? (group ?? '').slice(0, (group ?? '').lastIndexOf(': ')) : '';
}
