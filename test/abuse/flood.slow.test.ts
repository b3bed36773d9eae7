/** A line without an end, through every component between an agent and the disk. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readOutputIndex } from '../../src/host/output/output-parts.ts';
import { beginAttempt } from '../support/attempt-harness.ts';
import { tempDir } from '../support/temp-dir.ts';

const PRINTED_BYTES = 300_000_000;
/** Room for short-lived data. Code that holds the whole line would need all of it at least once. */
const MORE_BYTES_MAX = 150_000_000;

/** How much larger this process was at its peak while the work ran. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const looking = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  return most - before;
}

test(
  'case 39: a line of 300 MB is stored neither in memory nor on the disk',
  { timeout: 600_000 },
  async (t) => {
    await using dir = await tempDir();
    const script = `head -c ${PRINTED_BYTES} /dev/zero | tr '\\0' x`;
    const command = ['sh', '-c', script];
    const agent = { id: 'mine', cli: 'custom', command, args: [], env: {} };
    const grown = await growth(async () => {
      await using attempt = beginAttempt(dir.path, 'crashes', { agent });
      assert.equal((await attempt.outcome).kind, 'completed');
    });
    t.diagnostic(`${Math.round(grown / 1e6)} MB more`);
    assert.ok(grown < MORE_BYTES_MAX, `${grown} bytes more`);
    const index = await readOutputIndex(join(dir.path, 'outputs'), 'attempt-1-stdout');
    assert.equal(index.bytes, PRINTED_BYTES);
    assert.ok(PRINTED_BYTES - index.droppedBytes < 1_100_000, `${index.droppedBytes} dropped`);
  },
);
