/**
 * The cost of a thousand long-lived agents that wait: each has had its turn, and none has a
 * process.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, stopOwner } from '../src/client/connect.ts';
import { OWNER_FLAGS } from '../src/client/package-info.ts';
import { homeAt } from '../src/host/machine/state-home.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import { installInto } from './installed.ts';
import type { Figure } from './figure.ts';

type AgentFigures = {
  readonly agents: number;
  /** After all of them had a turn, and again in an owner that has resumed them. */
  readonly ownerRssMb: number;
  readonly nextOwnerRssMb: number;
  /** From the request to the answer, for the last hundred of them. */
  readonly spawnMs: number;
};

const LAST = 100;
const CONFIG = `
limits: {attempts: 16}
capacity: {runs_max: 16, per_agent_max: 16}
agents:
  - {id: 'scripted:lives-in-turns', cli: scripted, args: ['{"status":"waiting"}']}
`;

export async function figures(): Promise<readonly Figure[]> {
  const agents = await measureAgents(1000);
  return [
    {
      name: `owner with ${agents.agents} agents`,
      value: Math.max(agents.ownerRssMb, agents.nextOwnerRssMb),
      unit: 'MB',
      yardstick: `resident memory, all idle; ${agents.nextOwnerRssMb.toFixed(0)} when taken up`,
      atMost: 200,
    },
    {
      name: `spawn beside ${agents.agents} agents`,
      value: agents.spawnMs,
      unit: 'ms',
      yardstick: 'asked to answered',
    },
  ];
}

async function measureAgents(count: number): Promise<AgentFigures> {
  await using folder = await tempDir();
  const home = homeAt(`${folder.path}/home`, folder.path);
  mkdirSync(home.dir, { mode: 0o700 });
  writeFileSync(`${home.dir}/config.yaml`, CONFIG);
  const project = `${folder.path}/project`; // beside the home: a project may not contain it
  mkdirSync(project);
  const door = installInto(folder.path);
  const { version } = JSON.parse(
    await readFile(new URL('../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  const reach = () =>
    connect({
      home,
      version,
      clock: systemClock,
      ownerCommand: [process.execPath, ...OWNER_FLAGS, door, 'owner', 'serve'],
      env: process.env,
    });
  try {
    const client = await reach();
    let spawnMs = 0;
    for (let n = 0; n < count; n += 1) {
      const start = performance.now();
      await client.agents.spawn({
        assignment: 'wait until somebody needs you',
        project,
        name: `agent-${n}`,
        agent: 'scripted:lives-in-turns',
      });
      if (n >= count - LAST) spawnMs += (performance.now() - start) / LAST;
    }
    for (;;) {
      const agents = await client.agents.list();
      if (agents.every(({ state }) => state === 'waiting-wakeup')) break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const ownerRssMb = await rssMb((await client.machine.owner()).pid);
    await stopOwner(home, systemClock);
    const next = await reach();
    const taken = await next.agents.list();
    if (taken.length !== count) throw new Error(`${taken.length} of ${count} were taken up`);
    const nextOwnerRssMb = await rssMb((await next.machine.owner()).pid);
    return { agents: count, ownerRssMb, nextOwnerRssMb, spawnMs };
  } finally {
    await stopOwner(home, systemClock);
  }
}

async function rssMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
