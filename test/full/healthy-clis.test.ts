/** All kinds of healthy work, done by all real CLIs, while every detector may speak: nothing is found. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { healthyRun } from '../real/healthy-run.ts';
import { HEALTHY_WORK } from '../real/healthy-work.ts';
import { CLIS, isMissing } from '../real/sandboxed-clis.ts';

describe('nothing is found in healthy work of a real CLI', () => {
  test('in at least thirty runs', () => assert.ok(CLIS.length * HEALTHY_WORK.length >= 30));

  for (const cli of CLIS)
    for (const work of HEALTHY_WORK)
      test(`${cli}: ${work.kind}`, { timeout: 240_000 }, async (t) => {
        if (isMissing(t, cli)) return;
        const { found, summary, turns } = await healthyRun(cli, work);
        t.diagnostic(`${turns} turns`);
        assert.deepEqual([found, summary], [[], 'All done.']);
        assert.ok(turns > work.turns);
      });
});
