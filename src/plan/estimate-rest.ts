/** How long the rest of a feature may take, from what its components have taken so far. Runs the scheduler ahead. */
import { needsAgents } from '../protocol/feature.ts';
import { findStarts, stateOf } from './component-states.ts';
import type { ComponentState, ComponentStates, TouchedFiles } from './component-states.ts';
import type { FeatureQuota } from './agent-windows.ts';
import { WindowsAhead } from './agent-windows.ts';
import type { FeatureGraph } from './feature-graph.ts';

type Estimate = {
  readonly soonestMs: number;
  readonly latestMs: number;
  /** How many components it is based on. */
  readonly of: number;
  /** The last reset of a window that it waits for. Null: it waits for none. */
  readonly waitsUntil: number | null;
};

type KnownTimes = {
  /** From the first run of a component until it had landed, conflicts and red gates included. */
  readonly tookMs: readonly number[];
  /** By id: how long components have been at work. */
  readonly elapsedMs: ReadonlyMap<string, number>;
  readonly now: number;
  /** Absent: no agent has a window that is known. */
  readonly quota?: FeatureQuota | undefined;
};

const OVER: ReadonlySet<ComponentState> = new Set(['complete', 'failed']);
const NOTHING_TOUCHED: TouchedFiles = new Map();

/** With fewer components than this, the range is that of all of them, and not that of the middle half. */
const QUARTILES_FROM = 4;

/** The owner works on nothing else meanwhile. It is enough for five hundred components that run one after the other. */
const LOOKS_MAX = 130_000;

/**
 * Null: no component has landed yet, so there is nothing to go by, or too many are left. What has failed is not built.
 */
export function estimateRest(
  graph: FeatureGraph,
  states: ComponentStates,
  capacity: number,
  { tookMs, ...known }: KnownTimes,
): Estimate | null {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const isWide = sorted.length < QUARTILES_FROM;
  const quick = isWide ? sorted[0] : sorted[Math.floor((sorted.length - 1) / 4)];
  const slow = isWide ? sorted.at(-1) : sorted[Math.ceil(((sorted.length - 1) * 3) / 4)];
  if (quick === undefined || slow === undefined) return null;
  const rest = (each: number): Played | null =>
    playAhead(graph, states, capacity, { ...known, each });
  const soonest = rest(quick);
  const latest = quick === slow ? soonest : rest(slow);
  if (soonest === null || latest === null) return null;
  const [one, other] = [soonest.ms, latest.ms];
  const waits = [soonest, latest].flatMap(({ waitsUntil }) => waitsUntil ?? []);
  return {
    // With slow components, a window may be reset before another one needs it.
    ...{ soonestMs: Math.min(one, other), latestMs: Math.max(one, other), of: sorted.length },
    waitsUntil: waits.length === 0 ? null : Math.max(...waits),
  };
}

type Played = { readonly ms: number; readonly waitsUntil: number | null };

/** One that is at work for longer than it should be is expected to end now. Null: it takes too many looks. */
function playAhead(
  graph: FeatureGraph,
  given: ComponentStates,
  capacity: number,
  { each, elapsedMs, now: begun, quota }: Omit<KnownTimes, 'tookMs'> & { readonly each: number },
): Played | null {
  const states = new Map<string, ComponentState>(given);
  const others = graph.components.filter((one) => !needsAgents(one));
  const short = new Set(others.map(({ id }) => id));
  const ends = new Map<string, number>();
  for (const [id, own] of states) {
    if (own === 'pending' || own === 'complete' || own === 'failed') continue;
    states.set(id, 'implementing');
    ends.set(id, Math.max(0, each - (elapsedMs.get(id) ?? 0)));
  }
  const byId = new Map(graph.components.map((one) => [one.id, one]));
  const windows = quota && new WindowsAhead(quota);
  let waitsUntil: number | null = null;
  const beginOf = (id: string, now: number): number => {
    const component = byId.get(id);
    if (windows === undefined || component === undefined || short.has(id)) return now;
    const at = windows.begin(component, begun + now);
    if (at > begun + now) waitsUntil = Math.max(at, waitsUntil ?? 0);
    return at - begun;
  };
  let { components } = graph;
  let looks = 0;
  for (let now = 0; ;) {
    components = components.filter(({ id }) => !OVER.has(stateOf(states, id)));
    looks += components.length;
    if (looks > LOOKS_MAX) return null;
    for (const id of findStarts({ ...graph, components }, states, capacity, NOTHING_TOUCHED)) {
      states.set(id, 'implementing');
      ends.set(id, beginOf(id, now) + (short.has(id) ? 0 : each));
    }
    if (ends.size === 0) return { ms: now, waitsUntil };
    now = Math.min(...ends.values());
    for (const [id, end] of ends)
      if (end <= now) {
        states.set(id, 'complete');
        ends.delete(id);
      }
  }
}
