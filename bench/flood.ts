/** One agent floods the owner: the cost in time, memory and latency for others. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { OutputFile } from '../src/host/output/output-file.ts';
import { ProcessGroup } from '../src/host/process/process-group.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { scriptedAgent } from '../src/testing/scripted-agents.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';

type FloodFigures = {
  readonly bytes: number;
  readonly seconds: number;
  /** The peak of resident memory above the start. */
  readonly rssGrowthMb: number;
  readonly loopDelayP99Ms: number;
  readonly loopDelayMaxMs: number;
  readonly keptBytes: number;
};

const LOOK_MS = 20;

const FLOOD_BYTES = 1_000_000_000;
export async function figures(): Promise<readonly Figure[]> {
  const flood = await measureFlood(FLOOD_BYTES);
  return [
    {
      name: 'memory over a 1 GB flood',
      value: flood.rssGrowthMb,
      unit: 'MB',
      yardstick: 'before the flood',
      atMost: 50,
    },
    {
      name: 'event-loop delay in a flood',
      value: flood.loopDelayP99Ms,
      unit: 'ms',
      yardstick: 'p99',
    },
  ];
}

async function measureFlood(bytes: number): Promise<FloodFigures> {
  await using folder = await tempDir();
  const output = await OutputFile.open(folder.path, 'output');
  const before = process.memoryUsage.rss();
  let most = before;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const looking = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), LOOK_MS);
  delay.enable();
  const start = performance.now();
  const group = new ProcessGroup(
    { argv: [...scriptedAgent('floods-stdout'), String(bytes)], cwd: folder.path, env: {} },
    {
      tag: `bench-${process.pid}/flood`,
      clock: systemClock,
      onStdout: (chunk) => output.write(chunk),
    },
  );
  await group.ended;
  const index = await output.close();
  const seconds = (performance.now() - start) / 1000;
  delay.disable();
  clearInterval(looking);
  if (index.bytes !== bytes) throw new Error(`${index.bytes} of ${bytes} bytes came through`);
  return {
    bytes,
    seconds,
    rssGrowthMb: (most - before) / 1e6,
    loopDelayP99Ms: delay.percentile(99) / 1e6,
    loopDelayMaxMs: delay.max / 1e6,
    keptBytes: index.bytes - index.droppedBytes,
  };
}
