/**
 * Kills an owner with working agents with SIGKILL at random moments of a seed, again and again.
 * Each time another owner resumes. Acknowledged facts must still be there, and no agent may outlive
 * its owner.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canonicalJson } from '../../src/base/json.ts';
import type { Json } from '../../src/base/json.ts';
import { randomInt, seededRandom } from '../../src/base/random.ts';
import type { Client } from '../../src/client/client.ts';
import { connect, stopOwner } from '../../src/client/connect.ts';
import { homeTag } from '../../src/owner/owner-state.ts';
import type { Home } from '../../src/host/machine/state-home.ts';
import { homeAt } from '../../src/host/machine/state-home.ts';
import { livingProcesses } from '../../src/host/process/kill-tagged.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';

export type StormFigures = {
  readonly kills: number;
  /** Facts that a client had seen before a kill. */
  readonly acknowledged: number;
  readonly lostFacts: number;
  /** Agents and their child processes that were alive when an owner died. */
  readonly orphaned: number;
  /** Of those, how many were still alive after their reaper had time to kill them. */
  readonly survivors: number;
};

const door = fileURLToPath(new URL('../../bin/supervisor.js', import.meta.url));
const version = (await import('../../package.json', { with: { type: 'json' } })).default.version;
const AGENTS = ['steps', 'scripted:deaf-with-child', 'scripted:never-speaks'];
const CONFIG = `
attempt: {interruptions_max: 100}
agents:
  - {id: steps, cli: scripted, args: ['100000', '5']}
`;

export async function killStorm(kills: number, seed: number): Promise<StormFigures> {
  await using folder = await tempDir();
  const home = homeAt(`${folder.path}/home`, folder.path);
  const project = `${folder.path}/project`;
  mkdirSync(home.dir, { mode: 0o700 });
  mkdirSync(project);
  writeFileSync(`${home.dir}/config.yaml`, CONFIG);
  const random = seededRandom(seed);
  const seen = new Map<number, string>();
  const figures = { kills, acknowledged: 0, lostFacts: 0, orphaned: 0, survivors: 0 };

  for (let kill = 0; kill < kills; kill += 1) {
    const client = await ownerOf(home);
    await keepBusy(client, project);
    const watching = new AbortController();
    const watched = remember(client, seen, watching.signal);
    await systemClock.sleep(randomInt(random, 0, 200));
    const { pid } = await client.machine.owner();
    process.kill(pid, 'SIGKILL');
    watching.abort();
    await watched;
    figures.orphaned += await alive(home);
    await eventually('the reaper has done its work', async () => (await alive(home)) === 0).catch(
      () => undefined, // survivors are counted
    );
    figures.survivors += await alive(home);
  }

  const client = await ownerOf(home);
  const there = new Map((await allEvents(client)).map((event) => [event.id, text(event)]));
  for (const [id, fact] of seen) if (there.get(id) !== fact) figures.lostFacts += 1;
  for (const { id } of await client.runs({ ended: false }))
    await client.signal(id, { kind: 'kill' });
  await stopOwner(home, systemClock);
  return { ...figures, acknowledged: seen.size };
}

export function ownerOf(home: Home, env = process.env): Promise<Client> {
  const ownerCommand = [process.execPath, door, 'owner', 'serve'] as const;
  return connect({ home, version, clock: systemClock, ownerCommand, env });
}

/** A run that was interrupted too often ends; others replace it. */
async function keepBusy(client: Client, project: string): Promise<void> {
  if ((await client.runs({ ended: false })).length > 0) return;
  for (const agent of AGENTS) await client.submit({ task: 'work', project, agent });
}

/** An answer to a client is an acknowledgement, whatever happens to the owner afterwards. */
async function remember(
  client: Client,
  seen: Map<number, string>,
  signal: AbortSignal,
): Promise<void> {
  const last = Math.max(0, ...seen.keys());
  try {
    for await (const event of client.followAll(last, signal)) seen.set(event.id, text(event));
  } catch {
    // the owner died while it answered, which is the point of this test
  }
}

async function alive(home: Home): Promise<number> {
  return (await livingProcesses({ tag: homeTag(home), known: new Map() })).length;
}

async function allEvents(client: Client): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const page = await client.events({ after: all.at(-1)?.id ?? 0, limit: 5000 });
    all.push(...page);
    if (page.length === 0) return all;
  }
}

function text(event: StoredEvent): string {
  return canonicalJson(event as unknown as Json);
}
