import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../host/machine/system-clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import type { SandboxPause } from './pause-sandbox.ts';
import { AGENT_LIMITS, offlinePolicy } from './policy.ts';
import { watchDisk } from './watch-disk.ts';

/** A fake sandbox that hides a file unless it is paused. */
class Hiding implements Pick<SandboxPause, 'during'> {
  holds = 0;
  readonly #reveal: () => Promise<void>;

  constructor(reveal: () => Promise<void>) {
    this.#reveal = reveal;
  }

  async during<T>(look: (signal: AbortSignal) => Promise<T>) {
    this.holds += 1;
    await this.#reveal();
    return { held: 'all' as const, found: await look(new AbortController().signal) };
  }
}

test('H7: a tree that changes during every count is counted while it is paused', async () => {
  await using dir = await tempDir();
  const [work, scratch] = ['work', 'scratch'].map((name) => join(realpathSync(dir.path), name));
  assert.ok(work !== undefined && scratch !== undefined);
  await mkdir(work);
  await mkdir(scratch);
  const restless = spawn('sh', ['-c', 'while :; do : >a; mv a b; done'], { cwd: work });
  const exited = once(restless, 'exit');
  const hiding = new Hiding(() => writeFile(join(work, 'hoard'), Buffer.alloc(2_000_000, 1)));
  const limits = { ...AGENT_LIMITS, diskBytes: 1_000_000 };
  const policy = offlinePolicy('test/1', work, limits);
  const noRoots = (): Promise<readonly number[]> => Promise.resolve([]);
  const timeout = AbortSignal.timeout(60_000);
  try {
    const limit = await watchDisk(policy, scratch, noRoots, hiding, systemClock, timeout);
    assert.deepEqual([limit, hiding.holds], ['disk-limit', 1]);
  } finally {
    restless.kill('SIGKILL');
    await exited;
  }
});
