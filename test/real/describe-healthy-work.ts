/** All kinds of healthy work, done by one real CLI, while every detector may speak: nothing is found. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CliName } from './clis.ts';
import { healthyRun } from './healthy-run.ts';
import { HEALTHY_WORK } from './healthy-work.ts';
import { CLIS, isMissing } from './sandboxed-clis.ts';

const RUNS_MIN = 30;
const TIMEOUT_MS = 240_000;

/** Each CLI has a file of its own, so that two of them work side by side. */
export function describeHealthyWork(cli: CliName): void {
  describe(
    `nothing is found in healthy work of ${cli}`,
    { timeout: HEALTHY_WORK.length * TIMEOUT_MS },
    () => {
      test('of so many kinds that all CLIs together have at least thirty runs', () =>
        assert.ok(CLIS.length * HEALTHY_WORK.length >= RUNS_MIN));

      for (const work of HEALTHY_WORK)
        test(work.kind, { timeout: TIMEOUT_MS }, async (t) => {
          if (isMissing(t, cli)) return;
          const { found, summary, turns } = await healthyRun(cli, work);
          t.diagnostic(`${turns} turns`);
          assert.deepEqual([found, summary], [[], 'All done.']);
          assert.ok(turns > work.turns);
        });
    },
  );
}
