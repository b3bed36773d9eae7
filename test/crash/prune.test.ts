import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { randomInt, seededRandom } from '../../src/base/random.ts';
import type { RunId } from '../../src/base/ids.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { readCommittedWork } from '../../src/workspace/commit-work.ts';
import { workspaceHarness, write } from '../workspace/workspace-harness.ts';

const RUNS = Array.from({ length: 8 }, (_, index) => `a00000000${index}` as RunId);
const KILLS = 8;
const child = fileURLToPath(new URL('children/prunes.ts', import.meta.url));

test(
  'killed at any moment, a prune loses no work, and the next one completes it',
  { timeout: 300_000 },
  async (t) => {
    await using b = await workspaceHarness({ a: 'a' });
    const trees = [];
    for (const run of RUNS) {
      const tree = await b.make({ run });
      const files = Array.from({ length: 60 }, (_, index) => [`dir${index}/file`, run]);
      await write(tree.work, Object.fromEntries(files));
      tree.release();
      trees.push(tree);
      for (const folder of ['homes', 'outputs']) {
        await mkdir(join(b.home, folder, run), { recursive: true });
        await writeFile(join(b.home, folder, run, 'x'), run);
      }
    }
    await mkdir(join(b.home, 'briefs'));
    for (const [index] of RUNS.entries()) {
      const path = join(b.home, 'briefs', `${String(index).repeat(64)}.md`);
      await writeFile(path, 'do this');
      await utimes(path, 0, 0);
    }
    const seed = Number(process.env['SEED'] ?? 1);
    t.diagnostic(`seed ${seed}`);
    const random = seededRandom(seed);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const pruning = spawn(process.execPath, [child, b.home], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(pruning, 'exit');
      await Promise.race([once(pruning.stdout, 'data'), ended]);
      await systemClock.sleep(randomInt(random, 0, 400));
      pruning.kill('SIGKILL');
      await ended;
    }
    const last = spawn(process.execPath, [child, b.home], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    assert.deepEqual(await once(last, 'exit'), [0, null]);
    for (const { work, id: workspace } of trees) {
      assert.equal(existsSync(work), false, work);
      const { changes } = await readCommittedWork(workspace, b.ports);
      assert.equal(changes.length, 60);
    }
    for (const folder of ['homes', 'outputs', 'briefs'])
      assert.deepEqual(await readdir(join(b.home, folder)), []);
  },
);
