/** The hygiene monitor: it looks at what lies about in the home again and again, and says what it found. */
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
  /** The folder with a folder for each run. */
  readonly outputs: string;
  readonly stateOf: (run: RunId) => Promise<'going-on' | 'ended' | 'unknown'>;
  readonly policy: () => Promise<HygienePolicy>;
  /** What it found, in a sentence. */
  readonly say: (report: string) => void;
  readonly log: (line: string) => void;
};

/** An owner that was started for one command is not to look through the whole disk first. */
const FIRST_MS = 10_000;
const EVERY_MS = 300_000;
/** Who keeps more than that knows without being told how much. */
const BYTES_MAX = 1_000_000_000_000;

export function hygieneChild(ports: HygienePorts): ChildSpec {
  return monitorChild('cleanup-daemon', (signal) => keepClean(ports, signal));
}

async function keepClean(ports: HygienePorts, signal: AbortSignal): Promise<void> {
  const { clock } = ports;
  for (let waitMs = FIRST_MS; await clock.sleep(waitMs, signal); waitMs = EVERY_MS)
    await lookOnce(ports, signal);
}

/** One round. Doing it again changes nothing; being called off in the middle leaves nothing half done. */
async function lookOnce(ports: HygienePorts, signal: AbortSignal): Promise<void> {
  const { clock, outputs, say, log } = ports;
  const found: HygieneFinding[] = [];
  const states = new Map<string, 'going-on' | 'ended' | 'unknown'>();
  for (const { name, writtenMs } of await listFolders(outputs)) {
    const run = parseRunId(name);
    if (run === undefined) continue; // not of our making, so not ours to judge
    if (signal.aborted) return;
    states.set(run, await ports.stateOf(run));
    const { bytes } = await diskUse([join(outputs, run)], BYTES_MAX, signal);
    found.push({ run, bytes, ageMs: clock.now() - writtenMs });
  }
  const policy = await ports.policy();
  const { report, clear } = planHygiene(found, (run) => states.get(run) ?? 'unknown', policy);
  for (const run of clear) {
    if (signal.aborted) return;
    await removeTree(join(outputs, run));
    log(`the output of ${run} belonged to nobody and is cleared away`);
  }
  say(describeHygiene(report, clear.length));
}
