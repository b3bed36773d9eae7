import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type Death = {
  readonly signal: NodeJS.Signals | null;
  readonly acknowledged: readonly number[];
};

export type DeathPlan = {
  /** Kill it after this many acknowledgements. */
  readonly killAfter?: number;
  /** The command that runs it, if that is not Node itself. */
  readonly under?: readonly string[];
};

/** Runs one of the children to its end and collects its acknowledgements. */
export async function runUntilDeath(
  script: string,
  args: readonly string[],
  { killAfter = Infinity, under = [] }: DeathPlan = {},
): Promise<Death> {
  const path = fileURLToPath(new URL(`children/${script}`, import.meta.url));
  const [command = '', ...rest] = [...under, process.execPath, path, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const acknowledged: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line));
    if (acknowledged.length === killAfter) child.kill('SIGKILL');
  }
  const [code, signal] = await closed;
  assert.ok(signal === 'SIGKILL' || code === 0, `the child ended with ${code ?? signal}`);
  return { signal, acknowledged };
}
