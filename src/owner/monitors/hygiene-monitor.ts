/**
 * The hygiene monitor. It regularly checks the outputs in the home for orphans and reports what it
 * finds.
 */
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { parseRunId } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import { diskUse } from '../../host/files/disk-use.ts';
import { listFolders } from '../../host/files/list-folder.ts';
import { removeTree } from '../../host/files/tree/write-tree.ts';
import type { HygieneFinding, HygienePolicy } from '../../monitors/hygiene.ts';
import { planHygiene, describeHygiene } from '../../monitors/hygiene.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import { monitorChild } from './monitor-child.ts';

export type HygienePorts = {
  readonly clock: Clock;
  /** The folder that contains one folder per run. */
  readonly outputs: string;
  readonly runState: (run: RunId) => Promise<'running' | 'ended' | 'unknown'>;
  readonly policy: () => Promise<HygienePolicy>;
  /** Receives the report as one sentence. */
  readonly report: (report: string) => void;
  readonly log: (line: string) => void;
};

/** An owner that was started for one command should not scan the disk first. */
const FIRST_MS = 10_000;
const EVERY_MS = 300_000;
/** A bound for the reported size. */
const BYTES_MAX = 1_000_000_000_000;

export function hygieneChild(ports: HygienePorts): ChildSpec {
  return monitorChild('hygiene', (signal) => checkRegularly(ports, signal));
}

async function checkRegularly(ports: HygienePorts, signal: AbortSignal): Promise<void> {
  const { clock } = ports;
  for (let waitMs = FIRST_MS; await clock.sleep(waitMs, signal); waitMs = EVERY_MS)
    await checkOnce(ports, signal);
}

/** One round. It can be repeated, and an abort leaves no run half removed. */
async function checkOnce(ports: HygienePorts, signal: AbortSignal): Promise<void> {
  const { clock, outputs, report, log } = ports;
  const found: HygieneFinding[] = [];
  const states = new Map<string, 'running' | 'ended' | 'unknown'>();
  for (const { name, writtenMs } of await listFolders(outputs)) {
    const run = parseRunId(name);
    if (run === undefined) continue; // not created by Supervisor, so it stays
    if (signal.aborted) return;
    states.set(run, await ports.runState(run));
    const { bytes } = await diskUse([join(outputs, run)], BYTES_MAX, signal);
    found.push({ run, bytes, ageMs: clock.now() - writtenMs });
  }
  const policy = await ports.policy();
  const { report: findings, runsToDelete } = planHygiene(
    found,
    (run) => states.get(run) ?? 'unknown',
    policy,
  );
  for (const run of runsToDelete) {
    if (signal.aborted) return;
    await removeTree(join(outputs, run));
    log(`removed the output of ${run}, which belongs to no known run`);
  }
  report(describeHygiene(findings, runsToDelete.length));
}
