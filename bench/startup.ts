/**
 * How long a command takes to start, compared with a Node that does nothing. Measured on the built
 * package.
 */
import { spawnSync } from 'node:child_process';
import { installInto } from './installed.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

type StartupFigures = {
  readonly nodeMs: number;
  readonly versionRatio: number;
  /** `status --json` with an owner that is up. */
  readonly statusRatio: number;
};

export async function figures(): Promise<readonly Figure[]> {
  const startup = await measureStartup(15);
  return [
    {
      name: 'supervisor --version',
      value: startup.versionRatio,
      unit: '×',
      yardstick: 'node -e 0',
      atMost: 2,
    },
    {
      name: 'supervisor status',
      value: startup.statusRatio,
      unit: '×',
      yardstick: 'node -e 0, owner up',
    },
  ];
}

async function measureStartup(rounds: number): Promise<StartupFigures> {
  await using folder = await tempDir();
  const door = installInto(folder.path);
  const env = {
    ...process.env,
    SUPERVISOR_HOME: `${folder.path}/home`,
    XDG_CACHE_HOME: `${folder.path}/cache`,
  };

  const time = (args: readonly string[]): number => {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
    return performance.now() - start;
  };
  const commands = {
    node: ['-e', '0'],
    version: [door, '--version'],
    status: [door, 'status', '--json'],
  };
  try {
    for (const args of Object.values(commands)) time(args); // starts the owner, fills the caches
    const taken = { node: [] as number[], version: [] as number[], status: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      for (const name of ['node', 'version', 'status'] as const)
        taken[name].push(time(commands[name]));
    }
    const nodeMs = median(taken.node);
    return {
      nodeMs,
      versionRatio: median(taken.version) / nodeMs,
      statusRatio: median(taken.status) / nodeMs,
    };
  } finally {
    time([door, 'owner', 'stop']);
  }
}
