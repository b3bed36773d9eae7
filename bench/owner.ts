/**
 * A whole owner at work: how long a stop takes beside a flood, and the cost of two hundred quiet
 * attempts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Client } from '../src/client/client.ts';
import { connect, stopOwner } from '../src/client/connect.ts';
import { OWNER_FLAGS } from '../src/client/package-info.ts';
import { homeAt } from '../src/host/machine/state-home.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { installInto } from './installed.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';

type OwnerFigures = {
  /** The median time from asking to ended, with no other run active. */
  readonly stopAloneMs: number;
  readonly stopBesideFloodMs: number;
  readonly quietAttempts: number;
  readonly ownerRssMb: number;
};

const STOPS = 9;
const FLOOD = 'scripted:floods-stdout';

/** Room for all of them, and a flood that does not end. */
function config(attempts: number): string {
  return `
limits: {attempts: ${attempts}}
capacity: {runs_max: ${attempts}, per_agent_max: ${attempts}}
agents:
  - {id: '${FLOOD}', cli: scripted, args: ['1e15']}
`;
}

export async function figures(): Promise<readonly Figure[]> {
  const owner = await measureOwner(200);
  return [
    {
      name: 'stop beside a flood',
      value: owner.stopBesideFloodMs - owner.stopAloneMs,
      unit: 'ms',
      yardstick: 'over a stop alone, median',
      atMost: 50,
    },
    {
      name: `owner with ${owner.quietAttempts} attempts`,
      value: owner.ownerRssMb,
      unit: 'MB',
      yardstick: 'resident memory',
      atMost: 150,
    },
  ];
}

async function measureOwner(quietAttempts: number): Promise<OwnerFigures> {
  await using folder = await tempDir();
  const home = homeAt(`${folder.path}/home`, folder.path);
  mkdirSync(home.dir, { mode: 0o700 });
  writeFileSync(`${home.dir}/config.yaml`, config(quietAttempts + 1));
  const project = `${folder.path}/project`; // beside the home: a project may not contain it
  mkdirSync(project);
  const door = installInto(folder.path);
  const client = await connect({
    home,
    version: await version(),
    clock: systemClock,
    ownerCommand: [process.execPath, ...OWNER_FLAGS, door, 'owner', 'serve'],
    env: process.env,
  });
  try {
    const stopAloneMs = await medianStop(client, project);
    const flood = await client.submit(request(project, FLOOD));
    await started(client, flood.id);
    const stopBesideFloodMs = await medianStop(client, project);
    if ((await client.run(flood.id)).outcome !== null) throw new Error('the flood ended too soon');
    await client.signal(flood.id, { kind: 'kill' });
    await ended(client, flood.id);
    const ownerRssMb = await quiet(client, project, quietAttempts);
    return { stopAloneMs, stopBesideFloodMs, quietAttempts, ownerRssMb };
  } finally {
    await stopOwner(home, systemClock);
  }
}

async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function request(
  project: string,
  agent: string,
): { task: string; project: string; agent: string; set: string[] } {
  return { task: 'bench', project, agent, set: [] };
}

async function medianStop(client: Client, project: string): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < STOPS; round += 1) {
    const { id } = await client.submit(request(project, 'scripted:never-speaks'));
    await started(client, id);
    const start = performance.now();
    await client.signal(id, { kind: 'stop' });
    await ended(client, id);
    taken.push(performance.now() - start);
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(STOPS / 2)] ?? Number.NaN;
}

async function started(client: Client, id: string): Promise<void> {
  for await (const event of client.followRun(id, 0)) if (event.type === 'command.noted') return;
}

async function ended(client: Client, id: string): Promise<void> {
  for await (const event of client.followRun(id, 0)) void event;
}

async function quiet(client: Client, project: string, count: number): Promise<number> {
  const views = [];
  for (let n = 0; n < count; n += 1) {
    const view = await client.submit(request(project, 'scripted:never-speaks'));
    await started(client, view.id);
    views.push(view);
  }
  const { pid } = await client.machine.owner();
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const rssKb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  await Promise.all(views.map(({ id }) => client.signal(id, { kind: 'kill' })));
  return rssKb / 1024;
}
