import { isRecord } from '../base/json.ts';
import { refuseSpec } from './supervision-refusals.ts';
import type { RestartHistory } from './restart-tracker.ts';

/** Reads a stored history, or refuses it: a damaged one would hide a crash loop. */
export function readRestartHistory(value: unknown): RestartHistory {
  if (!isRecord(value) || !isRecord(value['children'])) throw refuseSpec('not a restart history');
  const children = Object.entries(value['children']).map(([id, child]) => {
    const streak = isRecord(child) ? child['streak'] : undefined;
    if (!isRecord(child) || !Number.isSafeInteger(streak))
      throw refuseSpec(`the restart history of ${id} is damaged`);
    return [id, { restarts: instants(child['restarts']), streak: streak as number }] as const;
  });
  return { restarts: instants(value['restarts']), children: Object.fromEntries(children) };
}

function instants(value: unknown): readonly number[] {
  if (!Array.isArray(value) || !value.every((each) => Number.isFinite(each)))
    throw refuseSpec('a restart history holds milliseconds since 1970');
  return (value as number[]).toSorted((a, b) => a - b);
}
