/** Real CLIs do healthy work, each of another kind. `test/full/healthy-clis.test.ts` has all kinds for all of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { healthyRun } from './healthy-run.ts';
import { HEALTHY_WORK } from './healthy-work.ts';
import { CLIS, isMissing } from './sandboxed-clis.ts';

describe('nothing is found in healthy work of a real CLI', () => {
  for (const [nth, cli] of CLIS.entries()) {
    const work = HEALTHY_WORK[nth % HEALTHY_WORK.length];
    if (work === undefined) continue;
    test(`${cli}: ${work.kind}`, { timeout: 240_000 }, async (t) => {
      if (isMissing(t, cli)) return;
      const { found, summary, turns } = await healthyRun(cli, work);
      assert.deepEqual([found, summary], [[], 'All done.']);
      assert.ok(turns > work.turns);
    });
  }
});
