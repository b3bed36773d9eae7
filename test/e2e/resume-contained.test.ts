/** A resumed run continues with the saved work of the run before it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { eventually } from '../support/eventually.ts';
import { SandboxedHarness } from '../real/sandboxed-harness.ts';
import { namesBelow } from '../names-below.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

function harnessWith(script: string): Promise<SandboxedHarness> {
  const agents = [{ id: 'mine', cli: 'custom', command: ['sh', '-c', script] }];
  return SandboxedHarness.create({ config: { agents } });
}

describe('a contained run that is resumed', { skip, timeout: 600_000 }, () => {
  const ends: [why: string, how: 'stop' | 'fail'][] = [
    ['after a stop', 'stop'],
    ['after it failed', 'fail'],
  ];
  for (const [why, how] of ends)
    test(`${why} continues with the saved work`, async () => {
      const first = how === 'stop' ? 'sleep 600' : 'exit 3';
      await using at = await harnessWith(
        `test -e half.txt && { echo second >>half.txt; echo went on; exit 0; }
         echo first >half.txt; ${first}`,
      );
      const run = await at.submit('mine', { set: ['recovery.attempts_max=1'] });
      if (how === 'stop') {
        const isThere = async (): Promise<boolean> => {
          const names = await namesBelow(at.home);
          const work = names.find((name) => name.endsWith('/1/work'));
          return work !== undefined && existsSync(join(at.home, work, 'half.txt'));
        };
        await eventually('its trace', isThere, 60_000);
        await at.client.signal(run, { kind: 'stop' });
      }
      const before = await at.factsOf(run);
      assert.match(JSON.stringify(before.at(-1)), /cancelled|failed|exhausted/);
      // The user's edits meanwhile stay, and are merged when the work is applied.
      await writeFile(join(at.project, 'other.txt'), 'of the user\n');

      const { id } = await at.client.resume(run);
      assert.notEqual(id, run);
      const facts = await at.factsOf(id);
      assert.deepEqual(facts.at(-1)?.payload, {
        outcome: { kind: 'unverified', reason: 'went on' },
      });
      assert.match((await at.client.diff(id)).text, /^\+first\n\+second$/m);
      await at.client.apply(id);
      assert.equal(await readFile(join(at.project, 'half.txt'), 'utf8'), 'first\nsecond\n');
      assert.equal(await readFile(join(at.project, 'other.txt'), 'utf8'), 'of the user\n');
      assert.match((await at.client.diff(run)).text, /^\+first$/m); // the tree of the first run stays as it was
    });
});
