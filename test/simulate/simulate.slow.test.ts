import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AGENT_DECISIONS } from './world/agent-decisions.ts';
import { DECISIONS } from './world/decisions.ts';
import { simulate } from './world/simulate.ts';
import { coverageTable, zeroCells } from './coverage.ts';
import { explore } from './explore.ts';
import { PLANTS } from './plants.ts';

const SEEDS = 150;
const PLANT_SEEDS = 300;
const TIMEOUT_MS = 600_000;

function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
} {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const flags = ['--disable-warning=ExperimentalWarning', main, ...args];
  return spawnSync(process.execPath, flags, { encoding: 'utf8', timeout: TIMEOUT_MS });
}

async function hashes(from: number, seeds: number): Promise<readonly string[]> {
  const played: string[] = [];
  for (let seed = from; seed < from + seeds; seed += 1) played.push((await simulate(seed)).hash);
  return played;
}

describe('the simulated world', () => {
  test(`keeps every invariant in the worlds 1 to ${SEEDS}`, async () => {
    const { failures, seeds } = await explore(1, SEEDS, 3);
    assert.deepEqual(failures, []);
    assert.equal(seeds, SEEDS);
  });

  test('plays the same history for the same seed, and a different one for another seed', async () => {
    const first = await hashes(1, 20);
    assert.deepEqual(await hashes(1, 20), first);
    assert.equal(new Set([...first, ...(await hashes(21, 20))]).size, 40);
  });

  test('plays the same history in another process', async () => {
    const { stdout, status } = run('--seed', '7', '--json');
    const { hash } = await explore(7, 1, 1);
    assert.equal(status, 0);
    assert.equal((JSON.parse(stdout) as { hash: string }).hash, hash);
  });
});

describe('the table of decisions', () => {
  test('has a zero for a decision that was not reached, unless no world can reach it', () => {
    const zeros = zeroCells(new Map([['begin', new Map([['disk-full', 3]])]]));
    const has = (decision: string, fault: string): boolean =>
      zeros.some((cell) => cell.decision === decision && cell.fault === fault);
    assert.deepEqual(
      [has('begin', 'disk-full'), has('begin', 'slow-disk'), has('hold-for-disk', 'none')],
      [false, true, false],
    );
    assert.equal(coverageTable(new Map()).length, 6 + DECISIONS.length + AGENT_DECISIONS.length);
  });

  test('is demanded of the pinned worlds only', () => {
    assert.equal(run('--seeds', '1').status, 1);
    assert.equal(run('--seeds', '1', '--from', '1').status, 0);
  });

  test('explains its options, and plays nothing', () => {
    const { status, stdout } = run('--help');
    assert.equal(status, 0);
    assert.match(stdout, /^Usage: npm run simulate -- \[options\]\n/);
    assert.doesNotMatch(stdout, /worlds from/);
  });

  test('names the first seed of random worlds', () => {
    const { status, stdout } = run('--seeds', '1', '--from', 'random');
    assert.equal(status, 0, stdout);
    assert.match(stdout, /1 worlds from \d+ in /);
  });
});

describe('planted bugs', () => {
  test('are reported with the history and the command that replays it', () => {
    const { stdout, status } = run('--plant', '1', '--seeds', '50');
    assert.equal(status, 0);
    assert.match(stdout, /✖ seed \d+ breaks: begun is durable before it is performed/);
    assert.match(stdout, /Replay it with: npm run simulate -- --seed \d+ --plant 1/);
  });

  test(`are all found within ${PLANT_SEEDS} worlds`, { timeout: TIMEOUT_MS }, () => {
    const { stdout, status } = run('--plant', 'all', '--seeds', `${PLANT_SEEDS}`, '--json');
    const results = JSON.parse(stdout) as { says: string; found: string | null }[];
    assert.deepEqual(
      results.filter(({ found }) => found === null).map(({ says: expectedText }) => expectedText),
      [],
    );
    assert.equal(results.length, PLANTS.length);
    assert.equal(status, 0);
  });
});
