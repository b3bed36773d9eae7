/**
 * The violations monitor: it holds what agents do against their rules. The rules are those that were
 * pinned when an agent was summoned, and ours about what sets its limits; nothing that it writes
 * changes them.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import { isWorthTelling, reactToViolation } from '../monitors/reactions.ts';
import type { Violation } from '../monitors/violations.ts';
import { judgeDeed, selfModification } from '../monitors/violations.ts';
import type { Deed, Sighting } from '../protocol/deed.ts';
import type { ChildSpec } from '../supervision/index.ts';
import type { Deeds, Ear } from './deeds.ts';
import { every, monitorChild, together } from './monitor-child.ts';
import { sendSignals } from './send-signals.ts';
import type { LivingAgent, Watched } from './watched.ts';

export type ViolationsPorts = {
  readonly clock: Clock;
  readonly deeds: Deeds;
  readonly agents: Watched;
  /** What sets the limits of all agents: the user's settings and roles, our own state. */
  readonly limits: readonly string[];
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
};

const CHILDREN_EVERY_MS = 30_000;
/** In a project: its settings, its roles and what else says how agents are held. */
const PROJECT_FOLDER = '.supervisor';

export function violationsChild(ports: ViolationsPorts): ChildSpec {
  return monitorChild('violations', (signal) => {
    const monitor = new ViolationsMonitor(ports, ports.deeds.listen(signal));
    return together(
      signal,
      () => monitor.hear(),
      (until) => every(ports.clock, CHILDREN_EVERY_MS, until, () => monitor.look()),
    );
  });
}

class ViolationsMonitor {
  readonly #ports: ViolationsPorts;
  readonly #ear: Ear;
  /** How often each has broken which rule, by its life: of the living, and of no others for longer than a round. */
  readonly #broken = new Map<RunId, Map<string, number>>();
  readonly #children = new Map<RunId, number>();
  #told = 0;

  constructor(ports: ViolationsPorts, ear: Ear) {
    this.#ports = ports;
    this.#ear = ear;
  }

  async hear(): Promise<void> {
    for await (const { run, sighting } of this.#ear) {
      const agent = this.#ports.agents.get(run);
      if (agent === undefined) continue; // a plain run has no rules
      for (const deed of deedsIn(sighting)) await this.#judge(agent, deed);
    }
  }

  /** What nobody sees happen: that there are more children than before, or too much at once to be judged. */
  async look(): Promise<void> {
    const living = this.#ports.agents.living();
    const runs = new Set(living.map(({ run }) => run));
    for (const run of this.#broken.keys()) if (!runs.has(run)) this.#broken.delete(run);
    const children = Map.groupBy(living, ({ settings }) => settings.parent);
    const lost = this.#ear.takeLost();
    for (const agent of living) {
      const count = children.get(agent.run)?.length ?? 0;
      const before = this.#children.get(agent.run) ?? 0;
      this.#children.set(agent.run, count);
      if (count > before) await this.#judge(agent, { kind: 'spawn', children: count });
      const unseen = lost.get(agent.run) ?? 0;
      if (unseen > 0) await this.#report(agent, flood(unseen));
    }
    for (const run of this.#children.keys()) if (!runs.has(run)) this.#children.delete(run);
    this.#ports.say(`watches ${living.length} agents, ${this.#told} violations`);
  }

  async #judge(agent: LivingAgent, deed: Deed): Promise<void> {
    const { limits } = this.#ports;
    const own = selfModification([...limits, join(agent.project, PROJECT_FOLDER)]);
    const violation = judgeDeed([own, ...agent.settings.violations], deed);
    if (violation !== undefined) await this.#report(agent, violation);
  }

  async #report({ run }: LivingAgent, violation: Violation): Promise<void> {
    const { agents, log } = this.#ports;
    const counts = this.#broken.get(run) ?? new Map<string, number>();
    const times = (counts.get(violation.rule) ?? 0) + 1;
    this.#broken.set(run, counts.set(violation.rule, times));
    this.#told += 1;
    if (isWorthTelling(times))
      await sendSignals(run, reactToViolation(violation, times), agents, log);
  }
}

/** Who does so much at once that nobody can look at it may have something to hide. */
function flood(unseen: number): Violation {
  return {
    rule: 'flood',
    action: 'notify',
    what: `does so much at once that ${unseen} deeds were not looked at`,
  };
}

function deedsIn(sighting: Sighting): readonly Deed[] {
  switch (sighting.kind) {
    case 'write':
    case 'spend':
    case 'spawn':
    case 'connect':
    case 'command':
      return [sighting];
    case 'changed':
      return sighting.paths.map((path) => ({ kind: 'write', path }));
    case 'call':
    case 'turn-begun':
    case 'turn-ended':
    case 'purse':
      return [];
  }
}
