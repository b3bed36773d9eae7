/**
 * The dashboard in a real browser: how soon Now is painted, how soon an event is on the screen, and whether a long list
 * and a long output stay fluid. And the memory of an owner that many dashboards follow.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import type { Client } from '../src/client/client.ts';
import { connect, stopOwner } from '../src/client/connect.ts';
import { OWNER_FLAGS } from '../src/client/package-info.ts';
import { homeAt } from '../src/host/machine/state-home.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { writeHistory } from '../test/support/dashboard-history.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';
import { installInto } from './installed.ts';

const RUNS = 1000;
const MANY_RUNS = 5000;
const PAINTS = 7;
const WORKING = 50;
const EVENTS = 60;
const DASHBOARDS = 20;
/** When the heap is collected differs from owner to owner. */
const OWNERS = 3;
const LOG_BYTES = 100_000_000;
const FLOOD = 'scripted:floods-stdout';
const QUIET = 'scripted:never-speaks';
const BROWSER = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];

export async function figures(): Promise<readonly Figure[]> {
  const usual = await withOwner(RUNS, async (owner) => ({
    paintMs: await firstPaint(owner),
    eventMs: await eventsToPixels(owner),
  }));
  const moreMb: number[] = [];
  for (let nth = 0; nth < OWNERS; nth += 1) moreMb.push(await withOwner(RUNS, memoryOfDashboards));
  const long = await withOwner(MANY_RUNS, async (owner) => ({
    listMs: await longestTaskOfList(owner),
    outputMs: await longestTaskOfOutput(owner),
  }));
  return [
    row('first paint', usual.paintMs, 'ms', `of Now, ${RUNS} runs, median`, 500),
    row('event to pixel', usual.eventMs, 'ms', `p95, ${WORKING} agents at work`, 150),
    row(
      'memory of the owner',
      median(moreMb),
      'MB',
      `more with ${DASHBOARDS} dashboards, median`,
      30,
    ),
    row('long list', long.listMs, 'ms', `longest task, ${MANY_RUNS} runs`, 100),
    row('long output', long.outputMs, 'ms', 'longest task, 100 MB are printed', 100),
  ];
}

function row(name: string, value: number, unit: string, yardstick: string, atMost: number): Figure {
  return { name: `dashboard: ${name}`, value, unit, yardstick, atMost };
}

type Owner = {
  readonly client: Client;
  readonly project: string;
  readonly browser: BrowserContext;
  /** The address of the dashboard. This browser has access. */
  readonly url: string;
};

async function withOwner<Out>(runs: number, measure: (owner: Owner) => Promise<Out>): Promise<Out> {
  await using folder = await tempDir();
  const home = homeAt(`${folder.path}/home`, folder.path);
  mkdirSync(home.dir, { mode: 0o700 });
  const room = WORKING + 2;
  writeFileSync(
    `${home.dir}/config.yaml`,
    `limits: {attempts: ${room}}\ncapacity: {runs_max: ${room}, per_agent_max: ${room}}\nagents: [{id: '${FLOOD}', cli: scripted, args: ['${LOG_BYTES}']}]\n`,
  );
  await writeHistory(home.dir, runs, Date.now());
  const project = `${folder.path}/project`;
  mkdirSync(project);
  const door = installInto(folder.path);
  const env = { ...process.env, SUPERVISOR_HOME: home.dir };
  const packageFile = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const client = await connect({
    ...{ home, clock: systemClock, env },
    version: (JSON.parse(packageFile) as { version: string }).version,
    ownerCommand: [process.execPath, ...OWNER_FLAGS, door, 'owner', 'serve'],
  });
  try {
    const printed = execFileSync(process.execPath, [door, 'dashboard', '--json'], {
      ...{ env, encoding: 'utf8', cwd: project },
    });
    const { url } = JSON.parse(printed) as { url: string };
    await using browser = await chromium.launchPersistentContext(`${folder.path}/profile`, {
      ...{ executablePath: '/usr/bin/chromium', headless: true, args: BROWSER },
    });
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByText('live', { exact: true }).waitFor();
    const origin = new URL('/', page.url()).href;
    await page.close();
    return await measure({ client, project, browser, url: origin });
  } finally {
    await stopOwner(home, systemClock);
  }
}

/** Runs in a page before its own script: when the first row of Done was painted, in ms since the navigation. */
const NOTE_FIRST_ROW = `globalThis.painted = new Promise((resolve) =>
  new MutationObserver((_, watcher) => {
    if (document.querySelector('.done .run') === null) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  }).observe(document, { childList: true, subtree: true }))`;

async function firstPaint({ browser, url }: Owner): Promise<number> {
  const taken: number[] = [];
  for (let nth = 0; nth < PAINTS; nth += 1) {
    const page = await browser.newPage();
    await page.addInitScript(NOTE_FIRST_ROW);
    await page.goto(url);
    taken.push(await page.evaluate<number>('painted'));
    await page.close();
  }
  return median(taken);
}

/** Runs in a page: `when(run, word)` is the time at which the row of the run was painted with this word. */
const NOTE_ROWS = `globalThis.when = (run, word) => new Promise((resolve) => {
  const isThere = () => [...document.querySelectorAll('article.run')].some((row) =>
    row.querySelector('a[href$="/' + run + '"]') !== null && row.textContent.includes(word));
  const painted = () => requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
  const watcher = new MutationObserver(() => {
    if (!isThere()) return;
    watcher.disconnect();
    painted();
  });
  watcher.observe(document, { childList: true, subtree: true, characterData: true });
})`;

async function eventsToPixels({ client, project, browser, url }: Owner): Promise<number> {
  const runs = await startRuns(client, project, WORKING);
  const page = await browser.newPage();
  await page.goto(url);
  await page.evaluate(NOTE_ROWS);
  const taken: number[] = [];
  for (let nth = 0; nth < EVENTS; nth += 1) {
    const run = runs[nth % runs.length] ?? '';
    const isPaused = Math.floor(nth / runs.length) % 2 === 1;
    const kind = isPaused ? 'unpause' : 'pause';
    const painted = page.evaluate<number>(`when('${run}', '${isPaused ? 'running' : 'paused'}')`);
    const { seq } = await client.run(run);
    await client.signal(run, { kind });
    for await (const event of client.followRun(run, seq)) {
      taken.push((await painted) - event.at);
      break;
    }
  }
  await page.close();
  await endRuns(client, runs);
  return taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.95)] ?? Number.NaN;
}

async function startRuns(client: Client, project: string, count: number): Promise<string[]> {
  const runs: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const { id } = await client.submit({ task: `Task ${nth}`, project, agent: QUIET, set: [] });
    for await (const event of client.followRun(id, 0)) if (event.type === 'command.noted') break;
    runs.push(id);
  }
  return runs;
}

async function endRuns(client: Client, runs: readonly string[]): Promise<void> {
  await Promise.all(
    runs.map(async (id) => {
      await client.signal(id, { kind: 'kill' });
      for await (const event of client.followRun(id, 0)) void event;
    }),
  );
}

/** A dashboard is one stream. Each of these is read to the end of what has happened, as a page reads it. */
async function memoryOfDashboards({ client }: Owner): Promise<number> {
  const { pid } = await client.machine.owner();
  const before = await residentMb(pid);
  const over = new AbortController();
  const streams: ReturnType<typeof followOne>[] = [];
  // People open them one after the other.
  for (let nth = 0; nth < DASHBOARDS; nth += 1) {
    const stream = followOne(client, over.signal);
    await stream.isLive;
    streams.push(stream);
  }
  const after = await residentMb(pid);
  over.abort();
  await Promise.all(streams.map(({ ended }) => ended));
  return after - before;
}

function followOne(
  client: Client,
  signal: AbortSignal,
): { readonly isLive: Promise<void>; readonly ended: Promise<void> } {
  const { promise: isLive, resolve, reject } = Promise.withResolvers<void>();
  const follow = async (): Promise<void> => {
    for await (const item of client.machine.followBoard({ after: 0, seq: 0 }, signal))
      if (item.kind === 'board' && item.upTo > 0) resolve();
  };
  const ended = follow().catch((error: unknown) => {
    if (!signal.aborted) reject(error instanceof Error ? error : new Error(String(error)));
  });
  return { isLive, ended };
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Runs in a page: the longest task of its main thread. Chromium reports those of 50 ms and more. */
const NOTE_LONG_TASKS = `
  globalThis.longestMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      globalThis.longestMs = Math.max(globalThis.longestMs, duration);
  }).observe({ type: 'longtask', buffered: true });`;

async function longestTaskOfList({ client, project, browser, url }: Owner): Promise<number> {
  const page = await opened(browser, url);
  const runs = await startRuns(client, project, 5);
  for (let nth = 0; nth < 40; nth += 1) {
    await page.mouse.wheel(0, nth < 30 ? 4000 : -9000);
    if (nth % 8 === 0) await client.signal(runs[nth / 8] ?? '', { kind: 'pause' });
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))');
  }
  await page.keyboard.press('/');
  await page.keyboard.type('is:failed project:shop', { delay: 30 });
  await page.getByText('$ supervisor status is:failed project:shop').first().waitFor();
  await endRuns(client, runs);
  return closed(page);
}

async function longestTaskOfOutput({ client, project, browser, url }: Owner): Promise<number> {
  const { id } = await client.submit({ task: 'A flood', project, agent: FLOOD, set: [] });
  const page = await opened(browser, new URL(`/runs/${id}`, url).href);
  for await (const event of client.followRun(id, 0)) void event;
  await page.getByText('all work and no play').first().waitFor();
  for (let nth = 0; nth < 30; nth += 1) {
    await page.locator('.lines').hover();
    await page.mouse.wheel(0, nth < 20 ? -3000 : 5000);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))');
  }
  return closed(page);
}

async function opened(browser: BrowserContext, url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.addInitScript(NOTE_LONG_TASKS);
  await page.goto(url);
  await page.getByText('live', { exact: true }).waitFor();
  return page;
}

async function closed(page: Page): Promise<number> {
  const longest = await page.evaluate<number>('globalThis.longestMs');
  await page.close();
  return longest;
}
