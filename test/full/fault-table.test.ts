import { test } from 'node:test';
import { FaultDesk, FAULTS, sayRow } from '../real/fault-row.ts';
import { CLIS, isMissing } from '../real/walled-clis.ts';

for (const cli of CLIS)
  test(`${cli}: whatever its provider does, the next real CLI finishes the work`, async (t) => {
    if (isMissing(t, ...CLIS)) return;
    await using desk = await FaultDesk.set();
    for (const fault of Object.keys(FAULTS)) t.diagnostic(sayRow(await desk.row(cli, fault)));
  });
