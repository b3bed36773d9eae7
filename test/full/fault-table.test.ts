import { test } from 'node:test';
import { FaultHarness, FAULTS, printRow } from '../real/fault-row.ts';
import { CLIS, isMissing } from '../real/sandboxed-clis.ts';

for (const cli of CLIS)
  test(`${cli}: whatever its provider does, the next real CLI finishes the work`, async (t) => {
    if (isMissing(t, ...CLIS)) return;
    await using harness = await FaultHarness.create();
    for (const fault of Object.keys(FAULTS)) t.diagnostic(printRow(await harness.row(cli, fault)));
  });
