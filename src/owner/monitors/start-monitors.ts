/** The monitors of an owner: each lives and dies for itself. They watch the long-lived agents, and send signals. */
import { join } from 'node:path';
import { treeFingerprint } from '../../host/files/tree/tree-fingerprint.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import type { BudgetPorts } from './budget-monitor.ts';
import { budgetChild } from './budget-monitor.ts';
import type { ActivityBus } from './activity-bus.ts';
import { gangChild } from './gang-monitor.ts';
import { healthChild } from './health-monitor.ts';
import type { OwnerOptions } from '../owner-options.ts';
import { violationsChild } from './violations-monitor.ts';
import type { MonitorStore } from './monitor-store.ts';
import type { MonitoredAgents } from '../agents/monitored-agents.ts';

/** A larger tree is not looked through: whether an agent gets on is then not known. */
const FILES_MAX = 20_000;
/** What in our own home says how agents are held. The rest of it is where they put what they make. */
const LIMITS = ['config.yaml', 'roles', 'templates', 'strategies', 'sandbox.json'];

export type MonitorsPorts = {
  readonly deeds: ActivityBus;
  readonly agents: MonitoredAgents;
  /** What they remember, as it is now. */
  readonly watches: () => MonitorStore;
  /** What a monitor says of its work. */
  readonly note: (monitor: string, words: string) => void;
};

export function startMonitors(
  { clock, log, home }: OwnerOptions,
  { deeds, agents, watches, note }: MonitorsPorts,
): readonly ChildSpec[] {
  const ports = (name: string): BudgetPorts => ({
    clock,
    deeds,
    agents,
    watches,
    log,
    say: (words) => note(name, words),
  });
  const own = [home.journal, home.lock, home.ownerFile, home.apiToken, home.socket];
  const limits = [...own, ...LIMITS.map((name) => join(home.dir, name))];
  return [
    healthChild({ ...ports('health'), printOf: (folder) => treeFingerprint(folder, FILES_MAX) }),
    budgetChild(ports('budget')),
    violationsChild({ ...ports('violations'), limits }),
    gangChild(ports('gang')),
  ];
}
