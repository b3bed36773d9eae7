/**
 * The overhead of one attempt over the bare program: a no-op without a sandbox, from begun to ended
 * on record, and a whole run of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RunId } from '../src/base/ids.ts';
import type { Owner } from '../src/owner/owner.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import { testOwner } from '../test/support/test-owner.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

type AttemptFigures = {
  readonly rounds: number;
  readonly rawMedianMs: number;
  /** The median overhead of an attempt over the bare program of the same round. */
  readonly overheadMedianMs: number;
  /** The same for the whole run: the availability check, the attempt, and the finalize. */
  readonly runOverheadMedianMs: number;
};

const PROGRAM = '/bin/true';
const WARM_UP = 5;

export async function figures(): Promise<readonly Figure[]> {
  const attempt = await measureAttempt(60);
  return [
    {
      name: 'attempt without a sandbox',
      value: attempt.overheadMedianMs,
      unit: 'ms',
      yardstick: 'over the bare no-op, from begun to ended',
      atMost: 10,
    },
    {
      name: 'a whole run of it',
      value: attempt.runOverheadMedianMs,
      unit: 'ms',
      yardstick: 'over the bare no-op, from submitted to ended',
    },
  ];
}

/** The two alternate, so that a busy machine slows both. */
async function measureAttempt(rounds: number): Promise<AttemptFigures> {
  await using project = await tempDir();
  await using at = await testOwner(
    `agents: [{id: noop, cli: custom, command: [${PROGRAM}]}]\nrecovery: {attempts_max: 1}\n`,
  );
  const [raw, attempts, runs]: [number[], number[], number[]] = [[], [], []];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const bare = await runRaw();
    const { attemptMs, runMs } = await runOnce(at.owner, project.path);
    if (round < 0) continue;
    raw.push(bare);
    attempts.push(attemptMs - bare);
    runs.push(runMs - bare);
  }
  return {
    rounds,
    rawMedianMs: median(raw),
    overheadMedianMs: median(attempts),
    runOverheadMedianMs: median(runs),
  };
}

async function runRaw(): Promise<number> {
  const start = performance.now();
  const child = spawn(PROGRAM, [], { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, 'close');
  return performance.now() - start;
}

/** Measures until a follower of the run receives each event. */
async function runOnce(
  owner: Owner,
  project: string,
): Promise<{ readonly attemptMs: number; readonly runMs: number }> {
  const start = performance.now();
  const { id } = await owner.submit({ task: 'nothing', project, agent: 'noop', unsafe: true });
  let [begun, ended] = [NaN, NaN];
  for await (const event of owner.followRun(id as RunId, 0, new AbortController().signal)) {
    const isAttempt = 'key' in event.payload && event.payload.key === 'attempt-1';
    if (isAttempt && event.type === 'command.begun') begun = performance.now();
    if (isAttempt && event.type === 'command.ended') ended = performance.now();
  }
  return { attemptMs: ended - begun, runMs: performance.now() - start };
}
