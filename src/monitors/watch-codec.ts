/** Stores the watch of an agent for the next owner, and reads it back. */
import { HealthRecord } from '../protocol/monitor-record.ts';
import type { ActivityWindow } from './activity-window.ts';
import { emptyWindow } from './activity-window.ts';

/** The watch of one life of an agent. */
export type AgentWatch = { readonly life: number; readonly watch: ActivityWindow };

/** Null: there is nothing to store. */
export function writeWatch({ life, watch }: AgentWatch): HealthRecord | null {
  const { calls, suspected, reacted, prodded, pulse, callTexts } = watch;
  if (calls === 0 && !prodded) return null;
  const recent: [string, number][] = [];
  for (const call of pulse.calls) {
    const last = recent.at(-1);
    if (last?.[0] === call) last[1] += 1;
    else recent.push([call, 1]);
  }
  const times = Map.groupBy(pulse.calls, (call) => call);
  const repeated = Object.entries(callTexts).filter(([key]) => (times.get(key)?.length ?? 0) > 1);
  return { life, calls, recent, texts: Object.fromEntries(repeated), suspected, reacted, prodded };
}

/** The turn was interrupted with the owner, so there is no work folder. The resumption is a sign of life. */
export function readWatch(stored: unknown, nowMs: number): AgentWatch | undefined {
  const parsed = HealthRecord.safeParse(stored);
  if (!parsed.success) return undefined;
  const { life, calls, recent, texts: callTexts, suspected, reacted, prodded } = parsed.data;
  const empty = emptyWindow(nowMs);
  const pulse = {
    ...empty.pulse,
    calls: recent.flatMap(([call, times]) => Array.from({ length: times }, () => call)),
  };
  return { life, watch: { ...empty, pulse, callTexts, calls, suspected, reacted, prodded } };
}
