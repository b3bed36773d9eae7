/**
 * Tries to take locks on command. Usage: contends-for-lock.ts FOLDER CALLS
 * In: `go 1,2,3` (try for these locks, with so many calls at once for each, until it has it or
 * `enough` comes), `release`.
 * Out: `won 2`, `two 2` (another holder was inside), `done` (all calls have ended, and as many more
 * were refused), `released`.
 */
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { takeLock } from '../../../src/host/files/lock-file.ts';
import { systemClock } from '../../../src/host/machine/system-clock.ts';

const [folder = '', calls = '1'] = process.argv.slice(2);
const held = new Map<string, () => void>();
let wanted: readonly string[] = [];
const round = { isEnough: true };
let trying: Promise<unknown> = Promise.resolve();

function print(word: string): void {
  process.stdout.write(`${word}\n`);
}

async function tryOnce(lock: string): Promise<void> {
  const path = join(folder, `${lock}.lock`);
  const answer = await takeLock(path, { clock: systemClock, purpose: 'contention' });
  if (answer.kind === 'held') return;
  const witness = join(folder, `${lock}.witness`);
  try {
    closeSync(openSync(witness, 'wx')); // fails if another holder is inside
  } catch {
    print(`two ${lock}`);
    return;
  }
  held.set(lock, () => {
    rmSync(witness);
    answer.release();
  });
  print(`won ${lock}`);
}

async function tryUntilEnough(lock: string): Promise<void> {
  while (!round.isEnough && !held.has(lock)) {
    await tryOnce(lock);
    await new Promise<void>((resolve) => setImmediate(resolve)); // so that input is read
  }
}

function each(attempt: (lock: string) => Promise<void>): Promise<unknown> {
  const all = wanted.flatMap((lock) => Array<string>(Number(calls)).fill(lock));
  return Promise.all(all.map(attempt));
}

async function onWord(line: string): Promise<void> {
  const [word, locks = ''] = line.split(' ');
  if (word === 'go') {
    round.isEnough = false;
    wanted = locks.split(',');
    trying = each(tryUntilEnough);
  } else if (word === 'enough') {
    round.isEnough = true;
    await trying;
    await each(tryOnce); // every lock is held now: none of these may win
    print('done');
  } else if (word === 'release') {
    for (const release of held.values()) release();
    held.clear();
    print('released');
  }
}

createInterface({ input: process.stdin }).on('line', (line) => void onWord(line));
print('ready');
