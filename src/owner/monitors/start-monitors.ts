/**
 * The monitors of an owner. They watch the long-lived agents and send them signals. Each is
 * restarted separately.
 */
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

/** A larger tree is not read, so spinning cannot be detected there. */
const FILES_MAX = 20_000;
/**
 * The files of the home that define limits of agents. The rest of the home holds what agents
 * produce.
 */
const LIMITS = [
  ...['config.yaml', 'roles', 'templates', 'strategies', 'sandbox.json'],
  ...['community', 'packs.json'],
];

export type MonitorsPorts = {
  readonly activityBus: ActivityBus;
  readonly agents: MonitoredAgents;
  /** The current store of their memories. */
  readonly store: () => MonitorStore;
  /** Sets the note that the tree shows at a monitor. */
  readonly note: (monitor: string, text: string) => void;
};

export function startMonitors(
  { clock, log, home }: OwnerOptions,
  { activityBus, agents, store, note }: MonitorsPorts,
): readonly ChildSpec[] {
  const ports = (name: string): BudgetPorts => ({
    clock,
    activityBus,
    agents,
    store,
    log,
    report: (text) => note(name, text),
  });
  const stateFiles = [
    home.journal,
    home.database,
    home.lock,
    home.ownerFile,
    home.apiToken,
    home.socket,
  ];
  const limits = [...stateFiles, ...LIMITS.map((name) => join(home.dir, name))];
  return [
    healthChild({
      ...ports('health'),
      fingerprint: (folder) => treeFingerprint(folder, FILES_MAX),
    }),
    budgetChild(ports('budget')),
    violationsChild({ ...ports('violations'), limits }),
    gangChild(ports('gang')),
  ];
}
