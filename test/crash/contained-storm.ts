/**
 * Kills an owner with contained agents with SIGKILL at random moments of a seed, again and again.
 * After each restart nothing of the dead owner may be left: processes, containers, cgroups, mounts,
 * sockets, locks, folders. The files of its agents must be saved in the end.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { randomInt, seededRandom } from '../../src/base/random.ts';
import type { Client } from '../../src/client/client.ts';
import { stopOwner } from '../../src/client/connect.ts';
import { homeTag } from '../../src/owner/owner-state.ts';
import { findCgroups } from '../../src/host/process/cgroup.ts';
import type { Home } from '../../src/host/machine/state-home.ts';
import { homeAt } from '../../src/host/machine/state-home.ts';
import { isHolderFile } from '../../src/host/files/lock-file.ts';
import { livingProcesses } from '../../src/host/process/kill-tagged.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { NAME_PREFIX } from '../../src/sandbox/prepare-mounts.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { containersOf } from '../sandbox/docker-engine.ts';
import { ownerOf } from './kill-storm.ts';
import { namesBelow } from '../names-below.ts';

export type ContainedFigures = {
  readonly kills: number;
  /** How many attempts a kill has interrupted, by their sandbox. */
  readonly cutOff: Readonly<Record<string, number>>;
  /** Processes that were alive when their owner died, and those that its reaper did not end. */
  readonly orphaned: number;
  readonly survivors: number;
  /** Leftovers after the next start. */
  readonly left: readonly string[];
  /** Files that agents had written before a kill, and those that were not saved in the end. */
  readonly files: number;
  readonly lostFiles: number;
  /** Runs that ended before they were stopped, and why. */
  readonly ended: readonly string[];
};

export type StormEngine = { readonly host: string; readonly image: string };

const MOMENT_MS_MAX = 1500;
const SETTLE_MS = 60_000;
/** A run may be interrupted a hundred times. */
const KILLS_PER_RUN = 50;
/** Has children in separate sessions, and continues counting from the last number. */
const SCRIPT = `
setsid sleep 600 &
(while :; do sleep 600; done) &
i=$(ls | grep -c '^f'); while :; do i=$((i+1)); echo $i >f$i; sleep 0.05; done`;

export async function containedStorm(
  kills: number,
  seed: number,
  engine?: StormEngine,
): Promise<ContainedFigures> {
  await using folder = await tempDir();
  await using owners = new AsyncDisposableStack();
  const root = realpathSync(folder.path);
  const home = homeAt(join(root, 'home'), root);
  const project = join(root, 'project');
  for (const path of [home.dir, project]) mkdirSync(path, { mode: 0o700 });
  const agents = [{ id: 'mine', cli: 'custom', command: ['sh', '-c', SCRIPT] }];
  writeFileSync(
    join(home.dir, 'config.yaml'),
    JSON.stringify({
      agents,
      attempt: { interruptions_max: 100 },
      recovery: { attempts_max: 100 },
      capacity: { per_agent_max: 3 },
    }),
  );
  writeFileSync(join(project, 'README.md'), 'a project\n');
  const env = { ...process.env, ...(engine === undefined ? {} : { DOCKER_HOST: engine.host }) };
  owners.defer(async () => void (await stopOwner(home, systemClock)));
  const random = seededRandom(seed);
  const dead: number[] = [];
  const left: string[] = [];
  const cutOff: Record<string, number> = {};
  let [orphaned, survivors] = [0, 0];
  const settled = { files: 0, lostFiles: 0, ended: [] as string[] };
  const settleAll = async (client: Client): Promise<void> => {
    const { files, lostFiles, ended } = await settle(client, runs, home);
    settled.files += files;
    settled.lostFiles += lostFiles;
    settled.ended.push(...ended);
  };
  let runs: readonly string[] = [];
  let traces: readonly string[] = [];
  for (let kill = 0; kill <= kills; kill += 1) {
    const client = await ownerOf(home, env);
    left.push(...(await leftOf(dead, home, engine)), ...traces.filter((path) => existsSync(path)));
    if (kill % KILLS_PER_RUN === 0 || kill === kills) await settleAll(client);
    if (kill === kills) break;
    if (kill % KILLS_PER_RUN === 0) {
      runs = await begin(client, project, engine);
      // Probe the sandbox once: it takes longer than an owner lives from here on.
      for (const run of runs)
        await eventually(
          `run ${run} works`,
          async () => {
            const { outcome } = await client.run(run);
            if (outcome !== null) throw new Error(`run ${run} ${outcome.kind}: ${outcome.reason}`);
            return (await treeOf(home, run)).includes('f1');
          },
          SETTLE_MS,
        );
    }
    await systemClock.sleep(randomInt(random, 0, MOMENT_MS_MAX));
    for (const held of await atWork(client, runs)) cutOff[held] = (cutOff[held] ?? 0) + 1;
    const { pid } = await client.machine.owner();
    process.kill(pid, 'SIGKILL');
    dead.push(pid);
    orphaned += await alive(home);
    await eventually('its reaper is done', async () => (await alive(home)) === 0, SETTLE_MS).catch(
      () => undefined, // survivors are counted
    );
    survivors += await alive(home);
    traces = await tracesIn(home);
  }
  await stopOwner(home, systemClock);
  const holders = (await namesBelow(home.dir)).filter(isHolderFile);
  const last = [...(await leftOf(dead, home, engine)), ...(await tracesIn(home)), ...holders];
  return {
    ...{ kills, cutOff, orphaned, survivors, ...settled },
    left: [...left, ...last].map((path) => path.replace(root, '')),
  };
}

/** Two in bubblewrap, and one in a container if there is an engine. */
async function begin(
  client: Client,
  project: string,
  engine: StormEngine | undefined,
): Promise<readonly string[]> {
  const options = [
    ['sandbox.backend=bubblewrap'],
    ['sandbox.backend=bubblewrap'],
    ...(engine === undefined
      ? []
      : [['sandbox.backend=docker', `sandbox.image=${engine.image}`, 'sandbox.pull=never']]),
  ];
  const runs = [];
  for (const set of options)
    runs.push((await client.submit({ task: 'count', project, agent: 'mine', set })).id);
  return runs;
}

/** The sandbox of each running attempt, or that it is still being prepared. */
async function atWork(client: Client, runs: readonly string[]): Promise<readonly string[]> {
  const held: string[] = [];
  for (const run of runs) {
    const facts = await client.events({ run, limit: 10_000 });
    const begun = facts.findLast(({ type }) => type === 'command.begun');
    const note = facts.findLast(
      (fact) => fact.type === 'command.noted' && fact.payload.note.kind === 'started',
    );
    if (begun === undefined) continue;
    const started = note?.type === 'command.noted' ? note.payload.note : undefined;
    const isHeld = started?.kind === 'started' && note !== undefined && note.seq > begun.seq;
    held.push(isHeld ? started.sandbox : 'not yet');
  }
  return held;
}

/** Stops all runs in order, and compares the written files with the saved ones. */
async function settle(
  client: Client,
  runs: readonly string[],
  home: Home,
): Promise<Pick<ContainedFigures, 'files' | 'lostFiles' | 'ended'>> {
  let [files, lostFiles] = [0, 0];
  const ended: string[] = [];
  for (const run of runs) {
    const before = await client.run(run);
    if (before.outcome !== null)
      ended.push(`${run} ${before.outcome.kind}: ${before.outcome.reason}`);
    else await client.signal(run, { kind: 'stop' });
    for await (const fact of client.followRun(run, 0)) void fact;
    const written = (await treeOf(home, run)).filter((name) => /^f\d+$/.test(name));
    const saved = new Set((await client.diff(run)).files.map(({ path }) => path));
    files += written.length;
    lostFiles += written.filter((name) => !saved.has(name)).length;
    // Counted without a gap: none of them was lost on the way either.
    if (written.length > 0)
      lostFiles += Math.max(...written.map((name) => Number(name.slice(1)))) - written.length;
  }
  return { files, lostFiles, ended };
}

async function treeOf(home: Home, run: string): Promise<readonly string[]> {
  const projects = join(home.dir, 'projects');
  for (const project of await readdir(projects).catch(() => []))
    for (const tree of await readdir(join(projects, project, 'trees', run)).catch(() => []))
      if (!tree.includes('.'))
        return readdir(join(projects, project, 'trees', run, tree, 'work')).catch(() => []);
  return [];
}

/** Leftovers of a dead owner: scratch folders, cgroups, mounts and containers with its name. */
async function leftOf(
  dead: readonly number[],
  home: Home,
  engine: StormEngine | undefined,
): Promise<readonly string[]> {
  const cgroups = findCgroups();
  const parents =
    cgroups.kind === 'none'
      ? []
      : cgroups.kind === 'v2'
        ? [cgroups.parent]
        : Object.values(cgroups.parents);
  const places = [tmpdir(), ...parents];
  const names = (
    await Promise.all(
      places.map(async (place) => (await readdir(place)).map((name) => join(place, name))),
    )
  ).flat();
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const containers = engine === undefined ? [] : containersOf(engine, home.id);
  const isTheirs = (text: string): boolean =>
    dead.some((pid) => new RegExp(`(?:${NAME_PREFIX}|supervisor-scene-)${pid}-`).test(text));
  return [...names, ...mounts, ...containers].filter(isTheirs);
}

/** Files that exist only during an operation: sockets, partial files, git locks. */
async function tracesIn(home: Home): Promise<readonly string[]> {
  const all = await namesBelow(home.dir);
  return all
    .filter((path) => !path.includes('/work/') && !path.startsWith('homes/'))
    .filter((path) => {
      const name = basename(path);
      if (/\.(?:s|tmp)$|\.lock\.holder\.[0-9a-f]+$|^scratch-|^tmp_(?!obj_keeps_folder$)/.test(name))
        return true;
      return path.includes('vault.git') && name.endsWith('.lock');
    })
    .map((path) => join(home.dir, path));
}

async function alive(home: Home): Promise<number> {
  return (await livingProcesses({ tag: homeTag(home), known: new Map() })).length;
}
