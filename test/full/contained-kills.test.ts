import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containedStorm } from '../crash/contained-storm.ts';
import { dockerEngine } from '../sandbox/docker-engine.ts';
import { missing, noBubblewrap } from '../sandbox/setup.ts';

const KILLS = 200;

test(
  'two hundred random kills of an owner of contained agents leave nothing behind and lose no file',
  { skip: noBubblewrap() },
  async (t) => {
    await using engine = await dockerEngine((why) => t.diagnostic(missing(why)));
    const seed = Number(process.env['SEED'] ?? 1);
    const { cutOff, orphaned, files, ...rest } = await containedStorm(KILLS, seed, engine);
    t.diagnostic(`seed ${seed}: ${KILLS} kills cut off ${JSON.stringify(cutOff)}`);
    t.diagnostic(`${orphaned} processes orphaned, ${files} files written`);
    assert.deepEqual(rest, { kills: KILLS, survivors: 0, left: [], lostFiles: 0, ended: [] });
  },
);
