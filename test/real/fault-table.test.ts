/**
 * Faults at night, with real CLIs: the provider fails in each of these ways, and the next CLI of
 * the chain finishes the work. Here each fault and each CLI occurs at least once; all pairs are in
 * `test/full`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaultHarness, FAULTS, printRow } from './fault-row.ts';
import { CLIS, isMissing } from './sandboxed-clis.ts';

test(
  'whatever a provider does, the next real CLI finishes the work',
  { timeout: 900_000 },
  async (t) => {
    if (isMissing(t, ...CLIS)) return;
    const only = process.env['FAULT_ROWS']?.split(',');
    await using harness = await FaultHarness.create();
    for (const [index, fault] of Object.keys(FAULTS).entries()) {
      const cli = CLIS[index % CLIS.length] ?? assert.fail();
      if (only !== undefined && !only.includes(fault)) continue;
      await t.test(`${cli}: ${fault}`, async (row) =>
        row.diagnostic(printRow(await harness.row(cli, fault))),
      );
    }
  },
);
