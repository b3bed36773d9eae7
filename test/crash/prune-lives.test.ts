import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RunId } from '../../src/base/ids.ts';
import { randomInt, seededRandom } from '../../src/base/random.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { livesIn, writeOutputs } from '../support/agent-lives.ts';
import { readCommittedWork } from '../../src/workspace/commit-work.ts';
import { workspaceHarness, write } from '../workspace/workspace-harness.ts';

const AGENT = 'a000000000' as RunId;
const LIVES = 40;
const KILLS = 8;
const child = fileURLToPath(new URL('children/prunes-lives.ts', import.meta.url));

test(
  'R14: killed at any moment, a prune of earlier lives touches no newer life and loses no work',
  { timeout: 300_000 },
  async (t) => {
    await using b = await workspaceHarness({ a: 'a' });
    const trees = [];
    for (const attempt of [1, 2, 3, LIVES]) {
      const tree = await b.make({ run: AGENT, attempt });
      const files = Array.from({ length: 60 }, (_, index) => [`dir${index}/file`, 'work']);
      await write(tree.work, Object.fromEntries(files));
      tree.release();
      trees.push(tree);
    }
    const output = join(b.home, 'outputs', AGENT);
    await writeOutputs(output, LIVES);
    const newest = async (): Promise<readonly string[]> => {
      const names = (await readdir(output)).filter((name) =>
        [LIVES - 2, LIVES - 1, LIVES].some((life) => livesIn([name])[life] !== undefined),
      );
      const texts = names.toSorted().map((name) => readFile(join(output, name), 'utf8'));
      return Promise.all(texts);
    };
    const before = await newest();
    assert.equal(before.length, 3 * 12);
    const seed = Number(process.env['SEED'] ?? 1);
    t.diagnostic(`seed ${seed}`);
    const random = seededRandom(seed);
    const args = [child, b.home, AGENT, String(LIVES)];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const pruning = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(pruning, 'exit');
      await Promise.race([once(pruning.stdout, 'data'), ended]);
      await systemClock.sleep(randomInt(random, 0, 400));
      pruning.kill('SIGKILL');
      await ended;
      assert.deepEqual(await newest(), before);
    }
    const last = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    assert.deepEqual(await once(last, 'exit'), [0, null]);
    assert.deepEqual(await newest(), before);
    const left = Object.keys(livesIn(await readdir(output))).map(Number);
    assert.deepEqual(left, [LIVES - 2, LIVES - 1, LIVES]);
    assert.deepEqual(
      trees.map(({ work }) => existsSync(work)),
      [false, false, false, true],
    );
    for (const { id: workspace } of trees.slice(0, 3))
      assert.equal((await readCommittedWork(workspace, b.ports)).changes.length, 60);
  },
);
