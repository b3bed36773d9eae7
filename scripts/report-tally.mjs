/** A node:test reporter for a machine: how many passed and failed, and what was skipped and why. */
import { watchOverdue } from './overdue.mjs';

// oxlint-disable-next-line import/no-default-export -- node:test asks a reporter for one
export default async function* reportTally(events) {
  let counts;
  const skipped = [];
  const overdue = watchOverdue();
  for await (const event of events) {
    overdue.see(event);
    const { type, data } = event;
    if (type === 'test:summary' && data.file === undefined) counts = data.counts;
    if (type === 'test:pass' && data.skip !== undefined && data.details.type !== 'suite') {
      const reason =
        typeof data.skip === 'string' && data.skip !== '' ? data.skip : 'no reason given';
      skipped.push({ file: data.file, name: data.name, reason });
    }
  }
  overdue.stop();
  if (counts === undefined) return;
  const { passed, failed, cancelled } = counts;
  yield JSON.stringify({ passed, failed: failed + cancelled, skipped });
}
