/**
 * `npm run simulate -- [--seeds N] [--from S|random] [--seed S] [--plant K|all] [--json]`: runs
 * simulated worlds on the real code and exits with 1 if an invariant breaks. Without `--from` it
 * runs the pinned worlds, which are known to reach every decision, and exits with 1 if a decision
 * is never reached. With `--plant` a known bug is in the code, and it exits with 1 if the bug is
 * not found.
 */
import { randomInt } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Exploration, Failure } from './explore.ts';
import { PLANTS, plant, whereToSeek } from './plants.ts';

const FAILURES_MAX = 3;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string' },
    seed: { type: 'string' },
    plant: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const HELP = `Usage: npm run simulate -- [options]

Plays simulated worlds on the real code. Exits with 1 if an invariant breaks.

Options:
  --seeds N         how many worlds (default: 2000)
  --from S|random   the first seed (default: the pinned worlds, which reach every decision)
  --seed S          one world only, to replay it
  --plant K|all     put a known bug into the code; exits with 1 if it is not found
  --json            print JSON
  -h, --help        show this help`;

const PINNED_FROM = 1;
const SEED_MAX = 999_000_000;

// Other worlds may miss a rare decision by chance, which proves nothing about the code.
const isPinned = values.seed === undefined && values.from === undefined;
const from = isPinned ? PINNED_FROM : drawFrom(values.seed ?? values.from ?? '');
const plantFlag = values.plant === undefined ? '' : ` --plant ${values.plant}`;
const seeds = values.seed === undefined ? wholeNumber('--seeds', values.seeds) : 1;

if (values.help) console.log(HELP);
else if (values.plant === 'all') process.exitCode = await seekAll();
else if (values.plant !== undefined)
  process.exitCode = await seek(wholeNumber('--plant', values.plant));
else process.exitCode = await playAll();

async function playAll(): Promise<number> {
  const { explore } = await import('./explore.ts');
  const { coverageTable, zeroCells } = await import('./coverage.ts');
  const begun = performance.now();
  const exploration = await explore(from, seeds, FAILURES_MAX);
  const ms = Math.round(performance.now() - begun);
  const zeros = isPinned ? zeroCells(exploration.reached) : [];
  const { hash, failures, reached } = exploration;
  if (values.json) {
    const table = [...reached].map(([decision, counts]) => [decision, Object.fromEntries(counts)]);
    print({
      from,
      seeds: exploration.seeds,
      ms,
      hash,
      failures,
      zeros,
      reached: Object.fromEntries(table),
    });
  } else {
    if (values.seed === undefined) console.log(coverageTable(reached, isPinned).join('\n'));
    for (const failure of failures) console.log(failureText(failure));
    for (const { decision, fault } of zeros)
      console.log(`✖ ${decision} was never reached after ${fault}`);
    console.log(summary(exploration, ms));
  }
  return failures.length + zeros.length === 0 ? 0 : 1;
}

function failureText({ seed, invariant, story }: Failure): string {
  return [
    '',
    `✖ seed ${seed} breaks: ${invariant}`,
    ...story.map((line) => `  ${line}`),
    `Replay it with: npm run simulate -- --seed ${seed}${plantFlag}`,
    '',
  ].join('\n');
}

function summary({ seeds: played, hash, failures }: Exploration, ms: number): string {
  const seconds = (ms / 1000).toFixed(1);
  const verdict = failures.length === 0 ? 'every invariant held' : `${failures.length} failed`;
  return `${played} worlds from ${from} in ${seconds} s: ${verdict}; trace ${hash}`;
}

/** One bug, in this process. */
async function seek(number: number): Promise<number> {
  const bug = PLANTS[number - 1];
  if (bug === undefined)
    throw new RangeError(`there are plants 1 to ${PLANTS.length}, no ${number}`);
  plant(bug);
  const { explore } = await import('./explore.ts');
  const { World } = await import('./world/world.ts');
  const where = whereToSeek(bug);
  const isWanted = (seed: number): boolean => {
    const { agents, trees } = new World(seed).scenario;
    return where === 'trees' ? trees !== null : (agents !== null) === (where === 'agents');
  };
  const isReplay = values.seed !== undefined;
  const { failures, seeds: played } = await explore(
    from,
    seeds,
    1,
    isReplay ? undefined : isWanted,
  );
  const [failure] = failures;
  if (values.json)
    print({ plant: number, says: bug.says, played, found: failure?.invariant ?? null });
  else {
    if (failure !== undefined) console.log(failureText(failure));
    console.log(found(number, bug.says, played, failure?.invariant ?? null));
  }
  return failure === undefined ? 1 : 0;
}

function found(
  number: number,
  expectedText: string,
  played: number,
  invariant: string | null,
): string {
  const name = `plant ${number.toString().padStart(2)}: ${expectedText}`;
  return invariant === null
    ? `✖ ${name}\n            not found in ${played} worlds`
    : `✔ ${name}\n            found in world ${played} by: ${invariant}`;
}

/** Every bug, each in its own process, because a module is loaded once. */
async function seekAll(): Promise<number> {
  let missed = 0;
  const results = [];
  // All files but one are the same each time. Compiled once, they load in half the time.
  await using cache = await mkdtempDisposable(join(tmpdir(), 'plants-'));
  for (const pair of pairs(
    PLANTS.map(({ says: expectedText }, index) => ({ says: expectedText, number: index + 1 })),
  )) {
    const sought = pair.map(({ number }) => seekApart(number, cache.path));
    for (const [place, { played, invariant }] of (await Promise.all(sought)).entries()) {
      const { says: expectedText, number } = pair[place] ?? { says: '', number: 0 };
      if (invariant === null) missed += 1;
      results.push({ plant: number, says: expectedText, played, found: invariant });
      if (!values.json) console.log(found(number, expectedText, played, invariant));
    }
  }
  if (values.json) print(results);
  else console.log(`${PLANTS.length - missed} of ${PLANTS.length} planted bugs found`);
  return missed === 0 ? 0 : 1;
}

/** Two at a time, so that a bug that needs a long search does not delay the others. */
function pairs<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return items.flatMap((_, place) => (place % 2 === 0 ? [items.slice(place, place + 2)] : []));
}

async function seekApart(
  number: number,
  cache: string,
): Promise<{ played: number; invariant: string | null }> {
  const args = ['--seeds', `${seeds}`, '--from', `${from}`, '--plant', `${number}`, '--json'];
  const child = spawn(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    },
  );
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk as string;
  const { played, found: invariant } = JSON.parse(text) as { played: number; found: string | null };
  return { played, invariant };
}

function print(value: unknown): void {
  console.log(JSON.stringify(value));
}

function drawFrom(text: string): number {
  return text === 'random' ? randomInt(PINNED_FROM, SEED_MAX) : wholeNumber('--from', text);
}

function wholeNumber(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new TypeError(`${flag} takes a whole number, not ${text}`);
  return Number(text);
}
