/**
 * Kills the holder of a lock while others wait for it, again and again. Every time exactly one of
 * the others must get it. A witness file that is created exclusively shows whether two got in.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../../src/base/random.ts';
import { which } from '../../src/host/process/which.ts';
import { tempDir } from '../support/temp-dir.ts';

const CONTENDER = fileURLToPath(new URL('children/contends-for-lock.ts', import.meta.url));
const FORKER = fileURLToPath(new URL('children/forks-lock-holders.py', import.meta.url));
const CONTENDERS = 4;
const CALLS = 3;
const LOCKS = 25;

export type TakeoverFigures = {
  readonly takeovers: number;
  /** How often a second process was inside as well. */
  readonly twoWinners: number;
  readonly killedNodes: number;
  readonly killedForks: number;
};

type Received = { readonly child: Child; readonly word: string; readonly what: string };

/** The output of all children, in order of arrival. */
class Ears {
  readonly #received: Received[] = [];
  #wake: () => void = () => {};

  receive(waitFor: Received): void {
    this.#received.push(waitFor);
    this.#wake();
  }

  async next(): Promise<Received> {
    for (;;) {
      const first = this.#received.shift();
      if (first !== undefined) return first;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

class Child {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor(command: string, args: readonly string[], ears: Ears) {
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#closed = once(this.#process, 'close');
    if (this.#process.stdout === null) throw new Error('no output');
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      const [word = '', what = ''] = line.split(' ');
      ears.receive({ child: this, word, what });
    });
  }

  tell(word: string): void {
    this.#process.stdin?.write(`${word}\n`);
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#closed;
  }
}

/**
 * Performs at least this many takeovers. A holder has several locks when it is killed. In one round
 * of `nodeEvery`, and always without Python, the victim is a Node process that won the round
 * before. Otherwise it is a process that was forked for that.
 */
export async function lockTakeovers(
  takeoversMin: number,
  seed: number,
  nodeEvery: number,
): Promise<TakeoverFigures> {
  await using folder = await tempDir();
  await using stack = new AsyncDisposableStack();
  const ears = new Ears();
  const alive = new Set<Child>();
  stack.defer(async () => void (await Promise.all([...alive].map((child) => child.kill()))));
  const start = (command: string, ...args: readonly string[]): Child => {
    const child = new Child(command, args, ears);
    alive.add(child);
    return child;
  };
  const python = which('python3', process.env);
  const forker = python === undefined ? undefined : start(python, '-u', FORKER, folder.path);
  const contend = (): Child => start(process.execPath, CONTENDER, folder.path, String(CALLS));
  const contenders = new Set(Array.from({ length: CONTENDERS }, contend));
  const random = seededRandom(seed);
  const figures = { takeovers: 0, twoWinners: 0, killedNodes: 0, killedForks: 0 };

  /**
   * Waits for this many lines with this word. A second winner is counted whenever it is reported.
   */
  const waitFor = async (word: string, times: number): Promise<readonly Received[]> => {
    const found: Received[] = [];
    while (found.length < times) {
      const one = await ears.next();
      if (one.word === 'two') figures.twoWinners += 1;
      else if (one.word === word) found.push(one);
      else throw new Error(`${one.word} ${one.what} instead of ${word}`);
    }
    return found;
  };

  await waitFor('ready', contenders.size);
  let victim: { readonly child: Child; readonly locks: readonly string[] } | undefined;
  while (figures.takeovers < takeoversMin) {
    const locks = victim?.locks ?? Array.from({ length: LOCKS }, (_, lock) => String(lock));
    if (victim === undefined) forker?.tell(`hold ${locks.join(',')}`);
    const [forked] = victim === undefined && forker !== undefined ? await waitFor('held', 1) : [];
    if (victim !== undefined) contenders.delete(victim.child);
    for (const one of contenders) one.tell(`go ${locks.join(',')}`);
    if (forked !== undefined) {
      process.kill(Number(forked.what), 'SIGKILL');
      figures.killedForks += 1;
    } else if (victim !== undefined) {
      for (const lock of locks) rmSync(join(folder.path, `${lock}.witness`)); // while no other process can be inside
      await victim.child.kill();
      alive.delete(victim.child);
      figures.killedNodes += 1;
    }
    const won = await waitFor('won', locks.length);
    for (const one of contenders) one.tell('enough');
    await waitFor('done', contenders.size);
    figures.takeovers += new Set(won.map(({ what }) => what)).size;
    if (victim !== undefined) {
      contenders.add(contend());
      await waitFor('ready', 1);
    }
    victim = undefined;
    if (forker === undefined || random() * nodeEvery < 1) {
      const [{ child } = { child: undefined }] = won;
      const own = won.filter((one) => one.child === child).map(({ what }) => what);
      if (child !== undefined) victim = { child, locks: own };
    }
    for (const one of contenders) if (one !== victim?.child) one.tell('release');
    await waitFor('released', contenders.size - (victim === undefined ? 0 : 1));
  }
  return figures;
}
