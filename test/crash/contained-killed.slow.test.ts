import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dockerEngine } from '../sandbox/docker-engine.ts';
import { missing, noBubblewrap } from '../sandbox/setup.ts';
import { containedStorm } from './contained-storm.ts';

test(
  'case 34: an owner of contained agents that is killed again and again leaves nothing behind and loses no file',
  { timeout: 300_000, skip: noBubblewrap() },
  async (t) => {
    await using engine = await dockerEngine((why) => t.diagnostic(missing(why)));
    const seed = Number(process.env['SEED'] ?? 1);
    const { cutOff, orphaned, files, ...rest } = await containedStorm(10, seed, engine);
    t.diagnostic(`seed ${seed}: cut off ${JSON.stringify(cutOff)}, ${orphaned} processes orphaned`);
    t.diagnostic(`${files} files written, ${rest.lostFiles} lost`);
    assert.deepEqual(rest, { kills: 10, survivors: 0, left: [], lostFiles: 0, ended: [] });
    assert.ok(orphaned > 0, 'a storm in which no agent was alive proves nothing');
    assert.ok(files > 10, 'a storm in which nothing was written proves nothing');
  },
);
