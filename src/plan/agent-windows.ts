/**
 * When the windows of the agents of a feature hold another component. A window that is used up keeps its agent waiting
 * until its reset, and the next agent works meanwhile, as in a run.
 */
import type { Component } from '../protocol/feature.ts';

/** What is known of one window of an agent: of a plan with hours, or of a rate. */
type AgentWindow = {
  /** With what is promised to attempts under way. */
  readonly usedPercent: number;
  /** What one attempt uses. Null: it is not known. */
  readonly perAttempt: number | null;
  readonly resetAt: number;
};

export type FeatureQuota = {
  /** By identity. An identity without windows holds any work. */
  readonly windows: ReadonlyMap<string, readonly AgentWindow[]>;
  /** The identities that may build a component, in the order in which a run tries them. */
  readonly agentsOf: (component: Component) => readonly string[];
  /** How many attempts a component needs if nothing goes wrong. */
  readonly attemptsOf: (component: Component) => number;
};

type Used = { percent: number; readonly perAttempt: number; readonly resetAt: number };

/** Plays ahead. What it has promised to a component counts for the next one. */
export class WindowsAhead {
  readonly #quota: FeatureQuota;
  readonly #windows: ReadonlyMap<string, readonly Used[]>;

  constructor(quota: FeatureQuota) {
    this.#quota = quota;
    this.#windows = new Map(
      [...quota.windows].map(([identity, windows]) => [
        identity,
        windows.map(({ usedPercent, perAttempt, resetAt }): Used => {
          return { percent: usedPercent, perAttempt: perAttempt ?? 0, resetAt };
        }),
      ]),
    );
  }

  /** When a component can begin that the scheduler starts at `now`. It takes its part of the windows. */
  begin(component: Component, now: number): number {
    const attempts = this.#quota.attemptsOf(component);
    const agents = this.#quota.agentsOf(component);
    let best: { readonly identity: string; readonly at: number } | undefined;
    for (const identity of agents) {
      const at = this.#freeAt(identity, attempts, now);
      if (best === undefined || at < best.at) best = { identity, at };
    }
    if (best === undefined) return now;
    for (const window of this.#windows.get(best.identity) ?? [])
      if (window.resetAt > best.at) window.percent += window.perAttempt * attempts;
    return best.at;
  }

  /** The next reset after a reset is not known. So a window holds everything from its reset on. */
  #freeAt(identity: string, attempts: number, now: number): number {
    const closed = (this.#windows.get(identity) ?? []).filter(
      ({ percent, perAttempt, resetAt }) =>
        resetAt > now && (percent >= 100 || percent + Math.min(100, perAttempt * attempts) > 100),
    );
    return Math.max(now, ...closed.map(({ resetAt }) => resetAt));
  }
}
