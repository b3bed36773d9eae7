/** The overhead of a process group over a bare `spawn` of the same command, from start to end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ProcessGroup } from '../src/host/process/process-group.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

type SpawnFigures = {
  readonly rounds: number;
  readonly rawMedianMs: number;
  readonly groupMedianMs: number;
  /** The median overhead of the group. */
  readonly overheadMedianMs: number;
};

const ARGV = ['/bin/sh', '-c', 'echo one; exit 0'] as const;

export async function figures(): Promise<readonly Figure[]> {
  const spawn = await measureSpawn(60);
  return [
    {
      name: 'spawn through host/',
      value: spawn.overheadMedianMs,
      unit: 'ms',
      yardstick: 'over raw spawn, median',
      atMost: 3,
    },
  ];
}

/** The two alternate, so that a busy machine slows both. */
async function measureSpawn(rounds: number): Promise<SpawnFigures> {
  const raw: number[] = [];
  const group: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    raw.push(await timed(runRaw));
    group.push(await timed(runGroup));
  }
  return {
    rounds,
    rawMedianMs: median(raw),
    groupMedianMs: median(group),
    overheadMedianMs: median(group.map((ms, round) => ms - (raw[round] ?? 0))),
  };
}

async function runRaw(): Promise<void> {
  const [file, ...args] = ARGV;
  const child = spawn(file, args, { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, 'close');
}

async function runGroup(): Promise<void> {
  const tag = `bench-${process.pid}/spawn`;
  await new ProcessGroup({ argv: ARGV, cwd: '/', env: {} }, { tag, clock: systemClock }).ended;
}

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
